// SPDX-License-Identifier: MIT
/// \file
/// Functions of one or two numbers, written once for every device.
///
/// Each is a functor whose `value` is the formula.  A backend visits the variant at the end and
/// runs its loop or kernel for whatever it holds.  To add a function, write it here and name it
/// there.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "../core/host_device.h"

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
};

struct Abs {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::abs;
    if constexpr (std::is_integral_v<T>) return x < 0 ? Negate{}.value(x) : x;
    return abs(x);
  }
};

/// -1, 0 or 1; NaN stays NaN.
struct Sign {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return x > T(0) ? T(1) : x < T(0) ? T(-1) : x;
  }
};

struct Square {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using W = typename Wrapping<T>::type;
    return T(W(x) * W(x));
  }
};

struct Sqrt {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::sqrt;
    return sqrt(x);
  }
};

struct Exp {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::exp;
    return exp(x);
  }
};

struct Log {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::log;
    return log(x);
  }
};

struct Tanh {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::tanh;
    return tanh(x);
  }
};

/// 1 / (1 + exp(-x)), without overflow for any x.
struct Sigmoid {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::exp;
    if (x >= T(0)) return T(1) / (T(1) + exp(-x));
    const T e = exp(x);
    return e / (T(1) + e);
  }
};

/// max(x, 0); NaN stays NaN.
struct Relu {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return x < T(0) ? T(0) : x;
  }
};

/// x for x >= 0, slope * x below.  Maas, Hannun & Ng (2013).
struct LeakyRelu {
  double negative_slope = 0.01;
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    return x < T(0) ? T(negative_slope) * x : x;
  }
};

/// Which of the two forms of gelu below.
enum class GeluForm : std::uint8_t { tanh, exact };

/// x Phi(x), Phi being the normal distribution function, in its tanh form
/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).  Hendrycks & Gimpel (2016), arXiv:1606.08415.
struct GeluTanh {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::tanh;
    const T inner = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
    return T(0.5) * x * (T(1) + tanh(inner));
  }
};

/// x Phi(x) without approximation.  Hendrycks & Gimpel (2016), arXiv:1606.08415.
struct GeluExact {
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::erf;
    return T(0.5) * x * (T(1) + erf(x * T(0.70710678118654752440)));
  }
};

using Unary = std::variant<Negate, Abs, Sign, Square, Sqrt, Exp, Log, Tanh, Sigmoid, Relu,
                           LeakyRelu, GeluTanh, GeluExact>;

struct Add {
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    using W = typename Wrapping<T>::type;
    return T(W(a) + W(b));
  }
};

struct Subtract {
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    using W = typename Wrapping<T>::type;
    return T(W(a) - W(b));
  }
};

struct Multiply {
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    using W = typename Wrapping<T>::type;
    return T(W(a) * W(b));
  }
};

struct Divide {
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    return a / b;
  }
};

/// The larger; NaN if either is.
struct Maximum {
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    return a >= b || a != a ? a : b;
  }
};

/// The smaller; NaN if either is.
struct Minimum {
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    return a <= b || a != a ? a : b;
  }
};

using Binary = std::variant<Add, Subtract, Multiply, Divide, Maximum, Minimum>;

struct Equal {
  template <class T>
  GAIA_HOST_DEVICE bool value(T a, T b) const {
    return a == b;
  }
};

struct NotEqual {
  template <class T>
  GAIA_HOST_DEVICE bool value(T a, T b) const {
    return a != b;
  }
};

struct Less {
  template <class T>
  GAIA_HOST_DEVICE bool value(T a, T b) const {
    return a < b;
  }
};

struct LessEqual {
  template <class T>
  GAIA_HOST_DEVICE bool value(T a, T b) const {
    return a <= b;
  }
};

using Comparison = std::variant<Equal, NotEqual, Less, LessEqual>;

}  // namespace gaia
