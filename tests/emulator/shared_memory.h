// SPDX-License-Identifier: MIT
/// \file
/// Shared memory of the block that runs: all NaN at first, with guards between variables.
#pragma once

#include <cstddef>

#include "machine.h"

namespace gaia::emulator {

constexpr std::size_t kMostShared = 227 * 1024;  ///< Bytes of a block.

/// Fresh memory for a block: NaN, and closed until a variable is taken from it.
void renew_shared_memory();
/// The next `bytes` bytes.
void* take_shared(std::size_t bytes, const CodePlace& at);
/// Takes the guards away.
void open_shared_memory();

}  // namespace gaia::emulator
