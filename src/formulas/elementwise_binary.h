// SPDX-License-Identifier: MIT
/// \file
/// Functions of two numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "elementwise_math.h"

namespace gaia {

struct Add {
  static constexpr BinaryFacts facts{Work::light};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    using W = typename Wrapping<T>::type;
    return T(W(a) + W(b));
  }
};

struct Subtract {
  static constexpr BinaryFacts facts{Work::light};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    using W = typename Wrapping<T>::type;
    return T(W(a) - W(b));
  }
};

struct Multiply {
  static constexpr BinaryFacts facts{Work::light};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    using W = typename Wrapping<T>::type;
    return T(W(a) * W(b));
  }
};

/// left a + right b.  Integers use the second pair of factors, which int64 holds exactly.
struct WeightedSum {
  static constexpr BinaryFacts facts{Work::light};
  double left = 1.0;
  double right = 1.0;
  std::int64_t left_integer = 1;
  std::int64_t right_integer = 1;
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using W = typename Wrapping<T>::type;
      return T(W(left_integer) * W(a) + W(right_integer) * W(b));
    } else {
      return T(left) * a + T(right) * b;
    }
  }
};

struct Divide {
  static constexpr BinaryFacts facts{Work::light};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    return a / b;
  }
};

/// The larger; NaN if either is.
struct Maximum {
  static constexpr BinaryFacts facts{Work::light};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    return choose(a >= b, a, choose(a != a, a, b));
  }
};

/// The smaller; NaN if either is.
struct Minimum {
  static constexpr BinaryFacts facts{Work::light};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    return choose(a <= b, a, choose(a != a, a, b));
  }
};

/// a^b.  Integers wrap around; their exponents are not negative.  Of floating numbers the powers 1
/// and 2 are rounded correctly on every device; pow of CUDA is off by a unit in some of them.
struct Power {
  static constexpr BinaryFacts facts{Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using W = typename Wrapping<T>::type;
      W factor = W(a);
      W result = 1;
      for (W left = W(b); left != 0; left >>= 1) {
        if ((left & 1u) != 0) result *= factor;
        factor *= factor;
      }
      return T(result);
    } else {
      using std::pow;
      return choose(b == T(1), a, choose(b == T(2), a * a, pow(a, b)));
    }
  }
};

/// The largest whole number not above a / b.  Integers by 0: 0.
struct FloorDivide {
  static constexpr BinaryFacts facts{Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return 0;
      if (b == -1) return Negate{}.value(a);  // the one quotient that may wrap around
      return T(a / b - (a % b != 0 && (a < 0) != (b < 0)));
    } else {
      using std::copysign;
      using std::floor;
      using std::fmod;
      if (b == T(0)) return a / b;
      const T rest = fmod(a, b);
      T quotient = (a - rest) / b;
      if (rest != T(0) && (b < T(0)) != (rest < T(0))) quotient -= T(1);
      if (quotient == T(0)) return copysign(T(0), a / b);
      // The quotient is whole but for rounding.
      const T whole = floor(quotient);
      return quotient - whole > T(0.5) ? whole + T(1) : whole;
    }
  }
};

/// What FloorDivide leaves of a: it has the sign of b.  Integers by 0: 0.
struct Remainder {
  static constexpr BinaryFacts facts{Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0 || b == -1) return 0;
      const T rest = T(a % b);
      return rest != 0 && (rest < 0) != (b < 0) ? T(rest + b) : rest;
    } else {
      using std::copysign;
      using std::fmod;
      const T rest = fmod(a, b);
      if (rest == T(0)) return copysign(T(0), b);
      return (rest < T(0)) != (b < T(0)) ? rest + b : rest;
    }
  }
};

/// What division rounded towards 0 leaves of a: it has the sign of a.  Integers by 0: 0.
struct Fmod {
  static constexpr BinaryFacts facts{Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return b == 0 || b == -1 ? T(0) : T(a % b);
    } else {
      using std::fmod;
      return fmod(a, b);
    }
  }
};

/// The angle of the point (b, a), in (-pi, pi].
struct Arctan2 {
  static constexpr BinaryFacts facts{Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    using std::atan2;
    return atan2(a, b);
  }
};

/// sqrt(a^2 + b^2), without overflow on the way.
struct Hypot {
  static constexpr BinaryFacts facts{Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    using std::hypot;
    return hypot(a, b);
  }
};

/// log(exp(a) + exp(b)), without overflow on the way.
struct LogAddExp {
  static constexpr BinaryFacts facts{Work::heavy};
  template <class T>
  GAIA_HOST_DEVICE T value(T a, T b) const {
    using std::exp;
    using std::log1p;
    if (a == b) return a + T(0.69314718055994530942);  // infinities too
    const T difference = a - b;
    if (difference != difference) return difference;
    return difference > T(0) ? a + log1p(exp(-difference)) : b + log1p(exp(difference));
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

/// NaN is not 0, and so counts as true.
struct LogicalAnd {
  template <class T>
  GAIA_HOST_DEVICE bool value(T a, T b) const {
    return a != T(0) && b != T(0);
  }
};

struct LogicalOr {
  template <class T>
  GAIA_HOST_DEVICE bool value(T a, T b) const {
    return a != T(0) || b != T(0);
  }
};

struct LogicalXor {
  template <class T>
  GAIA_HOST_DEVICE bool value(T a, T b) const {
    return (a != T(0)) != (b != T(0));
  }
};

}  // namespace gaia
