// SPDX-License-Identifier: MIT
/// \file
/// Places on an axis.
#pragma once

#include <cstdint>

namespace gaia::cpu {

/// An index of [-length, length) counted from the front; no branch, which could only be guessed.
inline std::int64_t from_front(std::int64_t index, std::int64_t length) {
  return index + (index < 0 ? length : 0);
}

}  // namespace gaia::cpu
