// SPDX-License-Identifier: MIT
/// \file
/// The CUDA backend on emulated hardware (tests/emulator) as Device::cuda(0), cuda(1), ...
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "../../src/array/backend.h"
#include "../../src/array/device.h"

namespace gaia::cuda::inline emulated {
CudaDevices find_devices();
}
namespace gaia::emulator {
void set_devices(int count);
}

namespace gaia::test {

/// Makes `count` emulated GPUs the devices cuda(0), cuda(1), ... for a scope.  Arrays on them must
/// be gone before it is.
class EmulatedDevices {
 public:
  explicit EmulatedDevices(int count) {
    emulator::set_devices(count);
    const CudaDevices found = cuda::emulated::find_devices();
    for (int index = 0; index < found.count; ++index) {
      before_.push_back(replace_backend(Device::cuda(index), found.make(index)));
    }
  }
  ~EmulatedDevices() {
    while (!before_.empty()) {
      const int index = static_cast<int>(before_.size()) - 1;
      const std::unique_ptr<Backend> mine =
          replace_backend(Device::cuda(index), std::move(before_.back()));
      before_.pop_back();
      if (mine->memory_stats().arrays != 0) {
        std::fputs("[emulated device] arrays outlive it\n", stderr);
        std::abort();
      }
    }
    emulator::set_devices(1);
  }
  EmulatedDevices(const EmulatedDevices&) = delete;
  EmulatedDevices& operator=(const EmulatedDevices&) = delete;

 private:
  std::vector<std::unique_ptr<Backend>> before_;
};

/// One of them.
class EmulatedDevice : public EmulatedDevices {
 public:
  EmulatedDevice() : EmulatedDevices(1) {}
  static Device device() { return Device::cuda(0); }
};

/// One that is current.
class OnEmulatedDevice : public EmulatedDevice {
  const GPUContext scope_{device()};
};

}  // namespace gaia::test
