// SPDX-License-Identifier: MIT
/// \file
/// Arithmetic, powers, exponentials, logarithms and rounding of one number.
#pragma once

#include <cmath>
#include <type_traits>

#include "../core/host_device.h"
#include "elementwise_choose.h"

namespace gaia {

/// T itself for floating types; for integers their unsigned twin, in which arithmetic wraps around
/// as it does in NumPy.
template <class T, bool = std::is_integral_v<T>>
struct Wrapping {
  using type = T;
};
template <class T>
struct Wrapping<T, true> {
  using type = std::make_unsigned_t<T>;
};

struct Negate {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using W = typename Wrapping<T>::type;
    if constexpr (std::is_integral_v<T>) return T(W(0) - W(x));
    return -x;
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T) const {
    return T(-1);
  }
};

/// Slope 0 at 0.
struct Abs {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::abs;
    if constexpr (std::is_integral_v<T>) return x < 0 ? Negate{}.value(x) : x;
    return abs(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return choose(x > T(0), T(1), choose(x < T(0), T(-1), x));
  }
};

/// -1, 0 or 1; NaN stays NaN.
struct Sign {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return choose(x > T(0), T(1), choose(x < T(0), T(-1), x));
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T) const {
    return T(0);
  }
};

struct Square {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using W = typename Wrapping<T>::type;
    return T(W(x) * W(x));
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return T(2) * x;
  }
};

struct Sqrt {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::sqrt;
    return sqrt(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T y) const {
    return T(0.5) / y;
  }
};

/// 1 / sqrt(x).
struct Rsqrt {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::sqrt;
    return T(1) / sqrt(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T y) const {
    return T(-0.5) * y * y * y;
  }
};

/// 1 / x.
struct Reciprocal {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return T(1) / x;
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T y) const {
    return -y * y;
  }
};

struct Exp {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::exp;
    return exp(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T y) const {
    return y;
  }
};

/// 2^x.
struct Exp2 {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::exp2;
    return exp2(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T y) const {
    return y * T(0.69314718055994530942);
  }
};

/// exp(x) - 1, accurate near 0.
struct Expm1 {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::expm1;
    return expm1(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T y) const {
    return y + T(1);
  }
};

struct Log {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::log;
    return log(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return T(1) / x;
  }
};

struct Log2 {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::log2;
    return log2(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return T(1.44269504088896340736) / x;
  }
};

struct Log10 {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::log10;
    return log10(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return T(0.43429448190325182765) / x;
  }
};

/// log(1 + x), accurate near 0.
struct Log1p {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::log1p;
    return log1p(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return T(1) / (T(1) + x);
  }
};

struct Floor {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::floor;
    return floor(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T) const {
    return T(0);
  }
};

struct Ceil {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::ceil;
    return ceil(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T) const {
    return T(0);
  }
};

/// To the nearest whole number, halves to the even one.
struct Round {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::nearbyint;
    return nearbyint(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T) const {
    return T(0);
  }
};

/// Towards 0.
struct Trunc {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::trunc;
    return trunc(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T) const {
    return T(0);
  }
};

/// x within [low, high]: low below, high above (and where low > high); NaN if any of the three is.
/// Slope 1 at both bounds.
struct Clip {
  double low;
  double high;
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    const T a = T(low);
    const T b = T(high);
    const T raised = choose(x >= a, x, choose(x != x, x, a));
    return choose(raised <= b, raised, choose(raised != raised, raised, b));
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return choose(x >= T(low), choose(x <= T(high), T(1), T(0)), T(0));
  }
};

}  // namespace gaia
