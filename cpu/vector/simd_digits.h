// SPDX-License-Identifier: MIT
/// \file
/// More digits than a number has: float32 reckoned in float64, exact products, numbers in two
/// parts.
#pragma once

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// f of x, or of a and b, reckoned in float64.
template <class F>
GAIA_INLINE Vec<float> in_double(Vec<float> x, const F& f) {
  Vec<double> lower;
  Vec<double> upper;
  widen(x, lower, upper);
  return narrow(f(lower), f(upper));
}
template <class F>
GAIA_INLINE Vec<float> in_double(Vec<float> a, Vec<float> b, const F& f) {
  Vec<double> a_lower;
  Vec<double> a_upper;
  Vec<double> b_lower;
  Vec<double> b_upper;
  widen(a, a_lower, a_upper);
  widen(b, b_lower, b_upper);
  return narrow(f(a_lower, b_lower), f(a_upper, b_upper));
}

/// f(x), in float64 where the processor has no FMA: without it float32 has no digits to spare.
template <class T, class F>
GAIA_INLINE Vec<T> with_digits_to_spare(Vec<T> x, const F& f) {
  if constexpr (sizeof(T) == 4 && !GAIA_HAS_FMA) {
    return in_double(x, f);
  } else {
    return f(x);
  }
}

/// a b - product exactly, where `product` is a b rounded.  Without FMA by halves of the digits
/// (Dekker, 1971), for numbers below 1e290.
#if GAIA_HAS_FMA
template <class T>
GAIA_INLINE Vec<T> product_error(Vec<T> a, Vec<T> b, Vec<T> product) {
  return exact_fma(a, b, -product);
}
#else
GAIA_INLINE Vec<double> product_error(Vec<double> a, Vec<double> b, Vec<double> product) {
  const Vec<double> split(134217729.0);  // 2^27 + 1
  const Vec<double> a_far = a * split;
  const Vec<double> b_far = b * split;
  const Vec<double> a_upper = a_far - (a_far - a);
  const Vec<double> b_upper = b_far - (b_far - b);
  const Vec<double> a_lower = a - a_upper;
  const Vec<double> b_lower = b - b_upper;
  return ((a_upper * b_upper - product) + a_upper * b_lower + a_lower * b_upper) +
         a_lower * b_lower;
}
#endif

/// A number in two parts, the second small compared with the first.
struct TwoParts {
  Vec<double> high;
  Vec<double> low;
};

/// a + b and what its rounding loses, for |a| >= |b| or a = 0.
GAIA_INLINE TwoParts sum_in_two(Vec<double> a, Vec<double> b) {
  const Vec<double> high = a + b;
  return {high, b - (high - a)};
}

GAIA_INLINE TwoParts product_in_two(Vec<double> a, Vec<double> b) {
  const Vec<double> high = a * b;
  return {high, product_error(a, b, high)};
}
/// The low parts' product is left out.
GAIA_INLINE TwoParts product_in_two(TwoParts a, TwoParts b) {
  const TwoParts y = product_in_two(a.high, b.high);
  return {y.high, fma(a.high, b.low, fma(a.low, b.high, y.low))};
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
