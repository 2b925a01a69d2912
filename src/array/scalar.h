// SPDX-License-Identifier: MIT
/// \file
/// A number written beside arrays.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace gaia {

/// A number beside an array: it takes the array's dtype (beside bool, int64), except that a
/// floating number beside integers gives float64.
struct Scalar {
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T number) : value(static_cast<double>(number)), floating(!fits_int64(number)) {
    if (!floating) integer = static_cast<std::int64_t>(number);
  }

  double value;
  bool floating;             ///< Or beyond int64.
  std::int64_t integer = 0;  ///< The same number, exactly, unless `floating`.

 private:
  template <class T>
  static constexpr bool fits_int64(T number) {
    if constexpr (std::is_floating_point_v<T>) {
      return false;
    } else if constexpr (std::is_signed_v<T> || sizeof(T) < sizeof(std::int64_t)) {
      return true;
    } else {
      return number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    }
  }
};

}  // namespace gaia
