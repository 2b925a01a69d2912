// SPDX-License-Identifier: MIT
/// \file
/// Circular functions (angles in radians), hyperbolic functions and the error function.
#pragma once

#include <cmath>

#include "../core/host_device.h"
#include "elementwise_facts.h"

namespace gaia {

struct Sin {
  static constexpr UnaryFacts facts{"sin", "The sine of x, in radians.", Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::sin;
    return sin(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::cos;
    return cos(x);
  }
};

struct Cos {
  static constexpr UnaryFacts facts{"cos", "The cosine of x, in radians.", Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::cos;
    return cos(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::sin;
    return -sin(x);
  }
};

struct Tan {
  static constexpr UnaryFacts facts{"tan", "The tangent of x, in radians.", Work::heavy,
                                    Slope::of_y};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::tan;
    return tan(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T, T y) const {
    return T(1) + y * y;
  }
};

struct Arcsin {
  static constexpr UnaryFacts facts{"arcsin", "The angle whose sine is x, in radians.",
                                    Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::asin;
    return asin(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::sqrt;
    return T(1) / sqrt((T(1) - x) * (T(1) + x));
  }
};

struct Arccos {
  static constexpr UnaryFacts facts{"arccos", "The angle whose cosine is x, in radians.",
                                    Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::acos;
    return acos(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::sqrt;
    return T(-1) / sqrt((T(1) - x) * (T(1) + x));
  }
};

struct Arctan {
  static constexpr UnaryFacts facts{"arctan", "The angle whose tangent is x, in radians.",
                                    Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::atan;
    return atan(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return T(1) / (T(1) + x * x);
  }
};

struct Sinh {
  static constexpr UnaryFacts facts{"sinh", "The hyperbolic sine of x.", Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::sinh;
    return sinh(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::cosh;
    return cosh(x);
  }
};

struct Cosh {
  static constexpr UnaryFacts facts{"cosh", "The hyperbolic cosine of x.", Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::cosh;
    return cosh(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::sinh;
    return sinh(x);
  }
};

struct Tanh {
  static constexpr UnaryFacts facts{"tanh", "The hyperbolic tangent of x.", Work::medium};
  static constexpr const char* layer = "Tanh";
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::tanh;
    return tanh(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::abs;
    using std::exp;
    // 1 - y^2 without cancellation where y is near 1.
    const T e = exp(T(-2) * abs(x));
    return T(4) * e / ((T(1) + e) * (T(1) + e));
  }
};

struct Arcsinh {
  static constexpr UnaryFacts facts{"arcsinh", "The number whose hyperbolic sine is x.",
                                    Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::asinh;
    return asinh(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::hypot;
    return T(1) / hypot(x, T(1));
  }
};

struct Arccosh {
  static constexpr UnaryFacts facts{"arccosh", "The number whose hyperbolic cosine is x.",
                                    Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::acosh;
    return acosh(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::sqrt;
    return T(1) / (sqrt(x - T(1)) * sqrt(x + T(1)));
  }
};

struct Arctanh {
  static constexpr UnaryFacts facts{"arctanh", "The number whose hyperbolic tangent is x.",
                                    Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::atanh;
    return atanh(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    return T(1) / ((T(1) - x) * (T(1) + x));
  }
};

struct Erf {
  static constexpr UnaryFacts facts{
      "erf", "The error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.",
      Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::erf;
    return erf(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::exp;
    return T(1.12837916709551257390) * exp(-x * x);
  }
};

struct Erfc {
  static constexpr UnaryFacts facts{"erfc", "1 - erf(x), accurate where that is small.",
                                    Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T x) const {
    using std::erfc;
    return erfc(x);
  }
  template <class T>
  GAIA_HOST_DEVICE T slope(T x, T) const {
    using std::exp;
    return T(-1.12837916709551257390) * exp(-x * x);
  }
};

/// The functions of one number above.
using TrigonometricFunctions = FunctionList<Sin, Cos, Tan, Arcsin, Arccos, Arctan, Sinh, Cosh, Tanh,
                                            Arcsinh, Arccosh, Arctanh, Erf, Erfc>;

}  // namespace gaia
