// SPDX-License-Identifier: MIT
/// \file
/// Emulated GPUs for tests of the Python package: loaded by ctypes beside the package, it puts the
/// backend of cuda/ on emulated hardware in place of what the machine has, for the whole process.
#include "../../src/array/backend_cuda.h"

#include <cstdio>
#include <exception>

namespace gaia::cuda::inline emulated {
CudaDevices find_devices();
}
namespace gaia::emulator {
void set_devices(int count);
}

/// Makes `count` GPUs the devices cuda:0, cuda:1, ...; 0 if that went well.
extern "C" int gaia_emulate_gpus(int count) {
  try {
    gaia::emulator::set_devices(count);
    new gaia::OtherCudaDevices(gaia::cuda::emulated::find_devices());  // for good
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "[emulated GPUs] %s\n", error.what());
    return 1;
  }
}
