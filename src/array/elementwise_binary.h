// SPDX-License-Identifier: MIT
/// \file
/// Functions of two numbers.
#pragma once

#include <cmath>
#include <type_traits>

#include "elementwise_math.h"

namespace gaia {

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

}  // namespace gaia
