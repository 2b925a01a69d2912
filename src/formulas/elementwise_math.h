// SPDX-License-Identifier: MIT
/// \file
/// Arithmetic, powers, exponentials, logarithms and rounding of one number.
#pragma once

#include <cmath>
#include <type_traits>

#include "../core/host_device.h"
#include "elementwise_choose.h"
#include "elementwise_facts.h"

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
  static constexpr UnaryFacts facts{"negative", "-x.", Work::light, Slope::constant,
                                    Whole::computed};
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
  static constexpr UnaryFacts facts{"abs", "|x|.", Work::light, Slope::of_x, Whole::computed};
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

struct Sign {
  static constexpr UnaryFacts facts{"sign", "-1, 0 or 1; NaN stays NaN.", Work::medium, Slope::flat,
                                    Whole::computed};
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
  static constexpr UnaryFacts facts{"square", "x squared.", Work::light, Slope::of_x,
                                    Whole::computed};
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
  static constexpr UnaryFacts facts{"sqrt", "The square root of x.", Work::medium, Slope::of_y};
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

struct Rsqrt {
  static constexpr UnaryFacts facts{"rsqrt", "1 / sqrt(x).", Work::medium, Slope::of_y};
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

struct Reciprocal {
  static constexpr UnaryFacts facts{"reciprocal", "1 / x.", Work::medium, Slope::of_y};
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
  static constexpr UnaryFacts facts{"exp", "e to the power of x.", Work::medium, Slope::of_y};
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

struct Exp2 {
  static constexpr UnaryFacts facts{"exp2", "2 to the power of x.", Work::heavy, Slope::of_y};
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

struct Expm1 {
  static constexpr UnaryFacts facts{"expm1", "exp(x) - 1, accurate near 0.", Work::medium,
                                    Slope::of_y};
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
  static constexpr UnaryFacts facts{"log", "The natural logarithm of x.", Work::medium};
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
  static constexpr UnaryFacts facts{"log2", "The logarithm of x to the base 2.", Work::heavy};
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
  static constexpr UnaryFacts facts{"log10", "The logarithm of x to the base 10.", Work::heavy};
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

struct Log1p {
  static constexpr UnaryFacts facts{"log1p", "log(1 + x), accurate near 0.", Work::medium};
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
  static constexpr UnaryFacts facts{"floor", "The next whole number at or below x.", Work::light,
                                    Slope::flat, Whole::unchanged};
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
  static constexpr UnaryFacts facts{"ceil", "The next whole number at or above x.", Work::light,
                                    Slope::flat, Whole::unchanged};
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
  static constexpr UnaryFacts facts{"round", nullptr, Work::light, Slope::flat, Whole::unchanged};
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

struct Trunc {
  static constexpr UnaryFacts facts{"trunc", "x without its fraction.", Work::light, Slope::flat,
                                    Whole::unchanged};
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
  static constexpr UnaryFacts facts{"clip", nullptr, Work::light};
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

/// The functions of one number above.
using MathFunctions = FunctionList<Negate, Abs, Sign, Square, Sqrt, Rsqrt, Reciprocal, Exp, Exp2,
                                   Expm1, Log, Log2, Log10, Log1p, Floor, Ceil, Round, Trunc, Clip>;

}  // namespace gaia
