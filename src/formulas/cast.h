// SPDX-License-Identifier: MIT
/// \file
/// A number in another type.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "dtype.h"

namespace gaia {

/// A number in another type.  To an integer: truncated, clamped to its range, 0 for NaN; to bool:
/// whether it is not zero.
template <class To, class From>
GAIA_HOST_DEVICE To cast(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<From, bfloat16>) {
    return cast<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bfloat16>) {
    return bfloat16(cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // The upper limit is not a floating number; the power of two above it is.
    constexpr From limit = -static_cast<From>(std::numeric_limits<To>::min());
    if (x != x) return 0;
    if (x >= limit) return std::numeric_limits<To>::max();
    if (x < -limit) return std::numeric_limits<To>::min();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace gaia
