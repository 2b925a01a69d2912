// SPDX-License-Identifier: MIT
/// \file
/// The CUDA backend on emulated hardware (tests/emulator) as Device::cuda(0).
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "../../src/array/backend.h"

namespace gaia::cuda::inline emulated {
CudaBackends make_backends();
}

namespace gaia::test {

/// Makes the emulated GPU Device::cuda(0) for a scope.  Arrays on it must be gone before it is.
class EmulatedDevice {
 public:
  EmulatedDevice()
      : before_(replace_backend(device(), std::move(cuda::emulated::make_backends().devices.at(0)))) {}
  ~EmulatedDevice() {
    const std::unique_ptr<Backend> mine = replace_backend(device(), std::move(before_));
    if (mine->memory_stats().arrays != 0) {
      std::fputs("[emulated device] arrays outlive it\n", stderr);
      std::abort();
    }
  }
  EmulatedDevice(const EmulatedDevice&) = delete;
  EmulatedDevice& operator=(const EmulatedDevice&) = delete;

  static Device device() { return Device::cuda(0); }

 private:
  std::unique_ptr<Backend> before_;
};

}  // namespace gaia::test
