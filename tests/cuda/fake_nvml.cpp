// SPDX-License-Identifier: MIT
/// \file
/// Stands in for NVML, with one GPU at 0000:00:00.0 and one at 0000:01:00.0 that tells little, as a
/// part of a GPU does.
#include <cstring>

namespace {

struct Gpu {
  bool tells_all;
};
Gpu g_whole{true};
Gpu g_part{false};

struct Rates {
  unsigned int chip;
  unsigned int memory;
};

constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;

int tell(const void* gpu, unsigned int* to, unsigned int value) {
  if (!static_cast<const Gpu*>(gpu)->tells_all) return kNotSupported;
  *to = value;
  return 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return 0; }

const char* nvmlErrorString(int result) {
  return result == kNotSupported ? "Not Supported" : "Not Found";
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** gpu) {
  if (std::strcmp(bus_id, "0000:00:00.0") == 0) {
    *gpu = &g_whole;
  } else if (std::strcmp(bus_id, "0000:01:00.0") == 0) {
    *gpu = &g_part;
  } else {
    return kNotFound;
  }
  return 0;
}

int nvmlDeviceGetUtilizationRates(void* gpu, Rates* rates) {
  if (!static_cast<const Gpu*>(gpu)->tells_all) return kNotSupported;
  *rates = {41, 12};
  return 0;
}

int nvmlDeviceGetTemperature(void* /*gpu*/, int sensor, unsigned int* celsius) {
  *celsius = sensor == 0 ? 54 : 0;
  return 0;
}

int nvmlDeviceGetClockInfo(void* gpu, int which, unsigned int* megahertz) {
  return tell(gpu, megahertz, which == 1 ? 1980 : which == 2 ? 3201 : 0);
}

int nvmlDeviceGetPowerUsage(void* gpu, unsigned int* milliwatts) {
  return tell(gpu, milliwatts, 512'300);
}

int nvmlDeviceGetEnforcedPowerLimit(void* gpu, unsigned int* milliwatts) {
  return tell(gpu, milliwatts, 700'000);
}
}
