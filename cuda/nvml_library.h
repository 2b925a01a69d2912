// SPDX-License-Identifier: MIT
/// \file
/// NVML, the driver's library for what a GPU is doing, opened when it is first asked, so that gaia
/// is built and starts without it.
///
/// Declared here as nvml.h does, which need not be installed; these functions have not changed
/// since CUDA 7.
#pragma once

#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "../src/array/device_usage.h"

namespace gaia::cuda {

/// A result of 0 is success.
struct NvmlLibrary {
  using Gpu = void*;
  struct Rates {
    unsigned int chip;  // percent of the last sample period
    unsigned int memory;
  };

  int (*init)() = nullptr;
  const char* (*error_string)(int result) = nullptr;
  int (*handle)(const char* bus_id, Gpu* gpu) = nullptr;
  int (*rates)(Gpu gpu, Rates* rates) = nullptr;
  int (*temperature)(Gpu gpu, int sensor, unsigned int* celsius) = nullptr;
  int (*clock)(Gpu gpu, int which, unsigned int* megahertz) = nullptr;
  int (*power)(Gpu gpu, unsigned int* milliwatts) = nullptr;
  int (*power_limit)(Gpu gpu, unsigned int* milliwatts) = nullptr;
  std::string why_not = {};  ///< Why it cannot be asked; empty where it can.
};

inline NvmlLibrary open_nvml_library() {
  NvmlLibrary library;
  void* const opened = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    library.why_not = "NVML, which comes with the NVIDIA driver, cannot be opened (" +
                      std::string(dlerror()) + ")";
    return library;
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(opened, name));
    if (function == nullptr && library.why_not.empty()) {
      library.why_not = "libnvidia-ml lacks " + std::string(name) + "; install a newer driver";
    }
  };
  find(library.init, "nvmlInit_v2");
  find(library.error_string, "nvmlErrorString");
  find(library.handle, "nvmlDeviceGetHandleByPciBusId_v2");
  find(library.rates, "nvmlDeviceGetUtilizationRates");
  find(library.temperature, "nvmlDeviceGetTemperature");
  find(library.clock, "nvmlDeviceGetClockInfo");
  find(library.power, "nvmlDeviceGetPowerUsage");
  find(library.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  if (!library.why_not.empty()) return library;
  if (const int result = library.init(); result != 0) {
    library.why_not = std::string("nvmlInit_v2: ") + library.error_string(result);
  }
  return library;
}

/// What the GPU at this place of the PCI bus ("0000:3B:00.0") is doing.
inline DeviceUsage usage_by_nvml(const std::string& bus_id) {
  constexpr int kChip = 0;             // sensor
  constexpr int kMultiprocessors = 1;  // clocks
  constexpr int kMemory = 2;
  static const NvmlLibrary nvml = open_nvml_library();
  DeviceUsage usage{.why_not = nvml.why_not};
  if (!usage.why_not.empty()) return usage;
  const auto succeeds = [&](int result, const char* call) {
    if (result == 0) return true;
    if (usage.why_not.empty()) {
      usage.why_not = std::string(call) + ": " + nvml.error_string(result);
    }
    return false;
  };
  NvmlLibrary::Gpu gpu = nullptr;
  if (!succeeds(nvml.handle(bus_id.c_str(), &gpu), "nvmlDeviceGetHandleByPciBusId")) return usage;
  NvmlLibrary::Rates rates{};
  if (succeeds(nvml.rates(gpu, &rates), "nvmlDeviceGetUtilizationRates")) {
    usage.busy = rates.chip / 100.0;
    usage.memory_busy = rates.memory / 100.0;
  }
  unsigned int value = 0;
  if (succeeds(nvml.temperature(gpu, kChip, &value), "nvmlDeviceGetTemperature")) {
    usage.temperature = value;
  }
  if (succeeds(nvml.clock(gpu, kMultiprocessors, &value), "nvmlDeviceGetClockInfo")) {
    usage.clock = value * 1e6;
  }
  if (succeeds(nvml.clock(gpu, kMemory, &value), "nvmlDeviceGetClockInfo")) {
    usage.memory_clock = value * 1e6;
  }
  if (succeeds(nvml.power(gpu, &value), "nvmlDeviceGetPowerUsage")) usage.power = value / 1e3;
  if (succeeds(nvml.power_limit(gpu, &value), "nvmlDeviceGetEnforcedPowerLimit")) {
    usage.power_limit = value / 1e3;
  }
  return usage;
}

}  // namespace gaia::cuda
