// SPDX-License-Identifier: MIT
/// \file
/// What division leaves, on Vec<T>: fmod as <cmath> has it, exactly, and the formulas of
/// FloorDivide and Remainder (src/array/elementwise_binary.h) without their branches.
#pragma once

#include <cmath>

#include "simd.h"
#include "simd_digits.h"
#include "simd_lanes.h"
#include "simd_math.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

namespace library {
struct Fmod {
  GAIA_INLINE float operator()(float a, float b) const { return __builtin_fmodf(a, b); }
  GAIA_INLINE double operator()(double a, double b) const { return __builtin_fmod(a, b); }
};
}  // namespace library

#if GAIA_HAS_FMA
/// The remainder of a rounded quotient is a number of the format, so that one fused step finds it
/// without error: each takes as many digits off the quotient as the format has, and most need one.
template <class T>
GAIA_INLINE Vec<T> fmod(Vec<T> a, Vec<T> b) {
  using V = Vec<T>;
  const V zero(T(0));
  const V size = abs(a);
  const V divisor = abs(b);
  V quotient = size / divisor;
  // Beyond all numbers though a is not, or 0 / 0.
  if (any((quotient == infinity<T>()) & (divisor > zero) & (size < infinity<T>()))) {
    return rare_lanes(a, b, library::Fmod{});
  }
  V rest = exact_fma(-trunc(quotient), divisor, size);
  while (any(abs(rest) >= divisor)) {
    const Mask<T> done = abs(rest) < divisor;
    quotient = choose(done, zero, rest / divisor);
    rest = exact_fma(-trunc(quotient), divisor, rest);
  }
  // The quotient may have been rounded up to a whole number.
  rest = choose(rest < zero, rest + divisor, rest);
  return choose(size < divisor, a, with_sign(abs(rest), a));
}
#else
GAIA_INLINE Vec<double> fmod(Vec<double> a, Vec<double> b) {
  return rare_lanes(a, b, library::Fmod{});
}

/// In float64, whose quotients of float32 are never rounded up to whole numbers below 2^28, and
/// whose products with them are exact.
GAIA_INLINE Vec<float> fmod(Vec<float> a, Vec<float> b) {
  using V = Vec<float>;
  const V size = abs(a);
  const V divisor = abs(b);
  if (any(!(size < divisor * V(268435456.0F)))) return rare_lanes(a, b, library::Fmod{});
  const V rest =
      in_double(size, divisor, [](Vec<double> p, Vec<double> q) { return p - trunc(p / q) * q; });
  return choose(size < divisor, a, with_sign(rest, a));
}
#endif

template <class T>
GAIA_INLINE Vec<T> remainder(Vec<T> a, Vec<T> b) {
  const Vec<T> zero(T(0));
  const Vec<T> rest = fmod(a, b);
  const Mask<T> other_side = ((rest < zero) & (b >= zero)) | ((rest >= zero) & (b < zero));
  const Vec<T> y = choose(other_side, rest + b, rest);
  return choose(rest == zero, with_sign(zero, b), y);
}

template <class T>
GAIA_INLINE Vec<T> floor_divide(Vec<T> a, Vec<T> b) {
  const Vec<T> zero(T(0));
  const Vec<T> one(T(1));
  const Vec<T> ratio = a / b;
  const Vec<T> rest = fmod(a, b);
  const Vec<T> quotient = (a - rest) / b;
  const Mask<T> other_side = ((rest < zero) & (b > zero)) | ((rest > zero) & (b < zero));
  const Vec<T> lower = choose(other_side, quotient - one, quotient);
  // The quotient is whole but for rounding.
  const Vec<T> whole = floor(lower);
  const Vec<T> y = choose(lower - whole > Vec<T>(T(0.5)), whole + one, whole);
  return choose(b == zero, ratio, choose(lower == zero, with_sign(zero, ratio), y));
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
