// SPDX-License-Identifier: MIT
/// \file
/// What the emulated runtime's files know of each other: pools, devices and the last error.
#pragma once

#include "runtime.h"

namespace gaia::emulator {

/// Remembers `error` for cudaGetLastError, and answers it.
cudaError_t answer(cudaError_t error);

/// The machine as set_hardware left it.
Hardware hardware();

/// Pools give back what lies in reserve above their threshold, as they do where the host waits.
void shrink_pools();

}  // namespace gaia::emulator
