// SPDX-License-Identifier: MIT
/// \file
/// The place where arrays report copies between devices; `device.h` has what users see of them.
#pragma once

#include <cstdint>

#include "device.h"

namespace gaia {

/// Counts a copy that was asked for.
void note_explicit_transfer(std::int64_t bytes);

/// Counts a copy that an operation needs.  \throws DeviceError under TransferPolicy::forbid.
void note_implicit_transfer(Device from, Device to, std::int64_t bytes, const char* function);

/// Counts copies that another thread has made for this one.
void add_transfer_stats(const TransferStats& made);

}  // namespace gaia
