// SPDX-License-Identifier: MIT
/// \file
/// What a GPU is doing, as NVML tells it, for which fake_nvml.cpp stands in.  In a program of its
/// own, since a process looks for the library once.
#include "../../src/array/device_usage.h"

#include "../../cuda/nvml_library.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"

namespace gaia::test {
namespace {

TEST_CASE("NVML's numbers are told in shares, degrees, hertz and watts") {
  const DeviceUsage usage = cuda::usage_by_nvml("0000:00:00.0");
  CHECK(usage.busy == 0.41);
  CHECK(usage.memory_busy == 0.12);
  CHECK(usage.temperature == 54.0);
  CHECK(usage.clock == 1.98e9);
  CHECK(usage.memory_clock == 3.201e9);
  CHECK(usage.power == 512.3);
  CHECK(usage.power_limit == 700.0);
  CHECK(usage.why_not.empty());
  CHECK(to_string(usage) == "busy 41 %, memory 12 %, 54 C, 1980 MHz, 512 W of 700 W");
}

TEST_CASE("What a GPU does not tell is not there, with the reason") {
  const DeviceUsage part = cuda::usage_by_nvml("0000:01:00.0");
  CHECK(part.temperature == 54.0);
  CHECK_FALSE(part.busy);
  CHECK_FALSE(part.memory_busy);
  CHECK_FALSE(part.clock);
  CHECK_FALSE(part.power);
  CHECK(part.why_not == "nvmlDeviceGetUtilizationRates: Not Supported");
  CHECK(to_string(part) == "54 C");
  const DeviceUsage none = cuda::usage_by_nvml("0000:02:00.0");
  CHECK_FALSE(none.temperature);
  CHECK(to_string(none) == "not known: nvmlDeviceGetHandleByPciBusId: Not Found");
}

TEST_CASE("A device tells what the GPU at its place of the bus is doing") {
  const EmulatedDevice emulated;  // whose place is 0000:00:00.0
  CHECK(device_usage(emulated.device()).busy == 0.41);
  {
    const GPUContext scope(emulated.device());
    CHECK(device_usage().power == 512.3);
  }
  const DeviceUsage cpu = device_usage(Device::cpu());
  CHECK_FALSE(cpu.busy);
  CHECK_FALSE(cpu.why_not.empty());
}

}  // namespace
}  // namespace gaia::test
