// SPDX-License-Identifier: MIT
/// \file
/// The step of a matrix product, for every element type that has products.
#pragma once

#include <type_traits>

#include "../core/host_device.h"

namespace gaia {

/// a b + c, where integers wrap around, and of bool the sum is "or" and the product "and".
struct MultiplyAdd {
  template <class T>
  GAIA_HOST_DEVICE T operator()(T a, T b, T c) const {
    if constexpr (std::is_same_v<T, bool>) {
      return c || (a && b);
    } else if constexpr (std::is_integral_v<T>) {
      using Wrapping = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Wrapping>(a) * static_cast<Wrapping>(b) +
                            static_cast<Wrapping>(c));
    } else {
      return a * b + c;
    }
  }
};

}  // namespace gaia
