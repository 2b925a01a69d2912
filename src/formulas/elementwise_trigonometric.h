// SPDX-License-Identifier: MIT
/// \file
/// Circular functions (angles in radians), hyperbolic functions and the error function.
#pragma once

#include <cmath>

#include "../core/host_device.h"

namespace gaia {

struct Sin {
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

/// 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
struct Erf {
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

/// 1 - erf(x), accurate where that is small.
struct Erfc {
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

}  // namespace gaia
