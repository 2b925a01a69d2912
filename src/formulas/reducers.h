// SPDX-License-Identifier: MIT
/// \file
/// How values are joined to one: types with `Value`, `start()` and `join(a, b)`.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "dtype.h"
#include "elementwise_binary.h"

namespace gaia {

/// bfloat16 is read as float, bool as a byte (threads share no bits), everything else as itself.
template <class T>
GAIA_HOST_DEVICE auto read(T x) {
  if constexpr (std::is_same_v<T, bfloat16>) {
    return static_cast<float>(x);
  } else if constexpr (std::is_same_v<T, bool>) {
    return static_cast<std::uint8_t>(x);
  } else {
    return x;
  }
}

template <class T>
using Read = decltype(read(T{}));

/// In what sums and products of T are carried; integers wrap, as NumPy's.
template <class T>
using Carried = std::conditional_t<std::is_floating_point_v<Read<T>>, double, std::int64_t>;

/// a + b, or for bool whether either holds.
template <class T>
GAIA_HOST_DEVICE T sum_of_two(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else {
    return Add{}.value(a, b);
  }
}

template <class V>
struct Sum {
  using Value = V;
  GAIA_HOST_DEVICE static Value start() { return 0; }
  GAIA_HOST_DEVICE static Value join(Value a, Value b) { return Add{}.value(a, b); }
};

template <class V>
struct Product {
  using Value = V;
  GAIA_HOST_DEVICE static Value start() { return 1; }
  GAIA_HOST_DEVICE static Value join(Value a, Value b) { return Multiply{}.value(a, b); }
};

template <class V>
struct Largest {
  using Value = V;
  GAIA_HOST_DEVICE static Value start() {
    if constexpr (std::is_floating_point_v<V>) {
      return -std::numeric_limits<V>::infinity();
    } else {
      return std::numeric_limits<V>::lowest();
    }
  }
  GAIA_HOST_DEVICE static Value join(Value a, Value b) { return Maximum{}.value(a, b); }
};

template <class V>
struct Smallest {
  using Value = V;
  GAIA_HOST_DEVICE static Value start() {
    if constexpr (std::is_floating_point_v<V>) {
      return std::numeric_limits<V>::infinity();
    } else {
      return std::numeric_limits<V>::max();
    }
  }
  GAIA_HOST_DEVICE static Value join(Value a, Value b) { return Minimum{}.value(a, b); }
};

/// The square of the distance from a center.
struct SquaredDistance {
  double center = 0.0;
  template <class T>
  GAIA_HOST_DEVICE double operator()(T x) const {
    const double distance = static_cast<double>(read(x)) - center;
    return distance * distance;
  }
};

}  // namespace gaia
