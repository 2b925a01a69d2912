// SPDX-License-Identifier: MIT
/// \file
/// Asynchronous copies to shared memory that the threads of a block have begun (cp.async).
#pragma once

#include "machine.h"

namespace gaia::emulator {

/// At the start of a block, for each of its threads.
void forget_copies(unsigned thread);

}  // namespace gaia::emulator
