// SPDX-License-Identifier: MIT
/// \file
/// exp and its kin on Vec<T>, found by the formulas of src/ in place of those of <cmath>.
///
/// All numbers, infinities and NaN give what <cmath> gives does, but for the flags of errno.
/// Worst errors (tests/cpu/elementwise_test.cpp): 2 ulp in float32, 4 ulp in float64.  Polynomials
/// for float32 after S. L. Moshier's Cephes library (1984-2000); those of exp in float64 were
/// fitted at Chebyshev's points.
#pragma once

#include <cmath>
#include <limits>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

template <class T>
GAIA_INLINE Vec<T> infinity() {
  return Vec<T>(std::numeric_limits<T>::infinity());
}
template <class T>
GAIA_INLINE Vec<T> not_a_number() {
  return Vec<T>(std::numeric_limits<T>::quiet_NaN());
}

/// What differs between float32 and float64 in the functions below.
template <class T>
struct ExpNumbers;

template <>
struct ExpNumbers<float> {
  static constexpr float rounding =
      12582912.0F;  // 1.5 * 2^23: x + it - it is x to the nearest integer
  static constexpr float ln2_high = 0.693359375F;
  static constexpr float ln2_low = -2.12194440e-4F;
  static constexpr float most = 90.0F;     // exp is infinite before it
  static constexpr float least = -110.0F;  // exp is 0 before it
  static constexpr int mantissa = 23;
  static constexpr int bias = 127;
  /// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2, highest power first.
  static constexpr float series[] = {1.9875691500e-4F, 1.3981999507e-3F, 8.3334519073e-3F,
                                     4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F};
  /// (exp(r) - 1) / r for the same r, through Chebyshev's points.
  static constexpr float slope[] = {1.393364999e-3F, 8.369155668e-3F, 4.166646493e-2F,
                                    1.666650520e-1F, 5.000000013e-1F, 1.000000011F};
};

template <>
struct ExpNumbers<double> {
  static constexpr double rounding = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double ln2_high = 6.93145751953125e-1;
  static constexpr double ln2_low = 1.42860682030941723212e-6;
  static constexpr double most = 710.0;
  static constexpr double least = -750.0;
  static constexpr int mantissa = 52;
  static constexpr int bias = 1023;
  /// The series as above, through Chebyshev's points.
  static constexpr double series[] = {2.5100472505694996e-8,  2.76202015910315488e-7,
                                      2.75572682769056962e-6, 0.0000248015210578682052,
                                      0.00019841269863171556, 0.00138888889173670806,
                                      0.0083333333333300382,  0.0416666666666238205,
                                      0.166666666666666675,   0.500000000000000103};
  static constexpr double slope[] = {2.09181377376427364e-9,
                                     2.51100492048186598e-8,
                                     2.75572632790884969e-7,
                                     2.75572408872298686e-6,
                                     2.48015873364422379e-5,
                                     1.98412698900764028e-4,
                                     1.3888888888879074e-3,
                                     8.33333333331958962e-3,
                                     4.16666666666666768e-2,
                                     1.66666666666666808e-1,
                                     0.5,
                                     1.0};
};

/// A polynomial, highest power first.  Its even and odd powers are summed apart, by Horner's scheme
/// in x^2, since in one chain every step would wait for the last; what is added at the end, often
/// most of it, is rounded once.
template <class T, int N>
GAIA_INLINE Vec<T> polynomial(Vec<T> x, const T (&coefficients)[N]) {
  static_assert(N >= 3);
  const Vec<T> square = x * x;
  Vec<T> first(coefficients[0]);
  Vec<T> second(coefficients[1]);
#pragma GCC unroll 16
  for (int i = 2; i < N - 1; ++i) {
    Vec<T>& sum = i % 2 == 0 ? first : second;
    sum = fma(sum, square, Vec<T>(coefficients[i]));
  }
  const Vec<T> higher = N % 2 == 0 ? fma(second, x, first) : fma(first, x, second);
  return fma(higher, x, Vec<T>(coefficients[N - 1]));
}

#if defined(__AVX512F__)
/// (p(x) - p(0)) / x of a polynomial p of which every lane has the coefficients of its own piece,
/// lowest power first.
template <class T, int N>
GAIA_INLINE Vec<T> slope_of_piece(Vec<T> x, typename Vec<T>::Integers piece,
                                  const T (&coefficients)[N][kTableSize<T>]) {
  const Vec<T> square = x * x;
  Vec<T> first = looked_up(coefficients[N - 1], piece);
  Vec<T> second = looked_up(coefficients[N - 2], piece);
#pragma GCC unroll 16
  for (int i = N - 3; i > 0; --i) {
    Vec<T>& sum = (N - 1 - i) % 2 == 0 ? first : second;
    sum = fma(sum, square, looked_up(coefficients[i], piece));
  }
  return N % 2 == 0 ? fma(second, x, first) : fma(first, x, second);
}
#endif

/// 2^n for integral n that are no less than the smallest normal exponent.
template <class T>
GAIA_INLINE Vec<T> power_of_two(Vec<T> n) {
  using Numbers = ExpNumbers<T>;
  using Integers = typename Vec<T>::Integers;
  // The last digits of the sum are those of the exponent, with no conversion to integers, which
  // AVX2 has none for.
  const Vec<T> shifted = n + Vec<T>(Numbers::rounding + T(Numbers::bias));
  return Vec<T>((typename Vec<T>::Raw)((Integers)shifted.raw << Numbers::mantissa));
}

/// y 2^n for integral n, also where that is no normal number.
template <class T>
GAIA_INLINE Vec<T> scaled(Vec<T> y, Vec<T> n) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>((typename Vec<T>::Raw)_mm512_scalef_ps((__m512)y.raw, (__m512)n.raw));
  } else {
    return Vec<T>((typename Vec<T>::Raw)_mm512_scalef_pd((__m512d)y.raw, (__m512d)n.raw));
  }
#else
  // In two steps, since 2^n alone may be none.
  const Vec<T> shift{ExpNumbers<T>::rounding};
  const Vec<T> half = (n * Vec<T>(T(0.5)) + shift) - shift;
  return y * power_of_two(half) * power_of_two(n - half);
#endif
}

/// x = n ln 2 + r with integral n and |r| <= ln(2) / 2; `less_one` is exp(r) - 1.
template <class T>
struct ExpParts {
  Vec<T> n;
  Vec<T> less_one;

  GAIA_INLINE explicit ExpParts(Vec<T> x) : n(nearest(x)), less_one(series(rest(x, n))) {}

  /// Parts of x + correction, where the correction is small compared with x.
  GAIA_INLINE ExpParts(Vec<T> x, Vec<T> correction)
      : n(nearest(x + correction)), less_one(series(rest(x, n) + correction)) {}

  /// r of x and n.
  GAIA_INLINE static Vec<T> rest(Vec<T> x, Vec<T> n) {
    return fnma(n, Vec<T>(Numbers::ln2_low), fnma(n, Vec<T>(Numbers::ln2_high), x));
  }

 private:
  using Numbers = ExpNumbers<T>;

  GAIA_INLINE static Vec<T> nearest(Vec<T> x) {
    const Vec<T> shift{Numbers::rounding};
    return fma(x, Vec<T>(T(1.44269504088896340736)), shift) - shift;
  }
  GAIA_INLINE static Vec<T> series(Vec<T> r) {
    return fma(polynomial(r, Numbers::series), r * r, r);
  }
};

template <class T>
GAIA_INLINE Vec<T> exp(Vec<T> x) {
  using Numbers = ExpNumbers<T>;
  const Vec<T> bounded = max(min(x, Vec<T>(Numbers::most)), Vec<T>(Numbers::least));
  const ExpParts<T> parts(bounded);
  const Vec<T> y = scaled(parts.less_one + Vec<T>(T(1)), parts.n);
  return choose(x == x, y, x);
}

/// exp(x) of x whose 2^n is a normal number (see ExpParts), and of NaN; of others, anything.  Less
/// work than exp, and fewer steps that wait for each other.
template <class T>
GAIA_INLINE Vec<T> exp_of_normal(Vec<T> x) {
  using Numbers = ExpNumbers<T>;
  using Integers = typename Vec<T>::Integers;
  const Vec<T> shift(Numbers::rounding + T(Numbers::bias));
  // Its last digits are those of the exponent of 2^n.
  const Vec<T> shifted = fma(x, Vec<T>(T(1.44269504088896340736)), shift);
  const Vec<T> power((typename Vec<T>::Raw)((Integers)shifted.raw << Numbers::mantissa));
  const Vec<T> r = ExpParts<T>::rest(x, shifted - shift);
  return fma(polynomial(r, Numbers::slope), r, Vec<T>(T(1))) * power;
}

/// exp(x) - 1.
template <class T>
GAIA_INLINE Vec<T> expm1(Vec<T> x) {
  using Numbers = ExpNumbers<T>;
  const Vec<T> lowest(T(-64));  // the result has long been -1 there
  const Vec<T> bounded = max(min(x, Vec<T>(Numbers::most)), lowest);
  const ExpParts<T> parts(bounded);
  const Vec<T> one(T(1));
  const Vec<T> half = power_of_two(min(parts.n - one, Vec<T>(T(Numbers::bias))));
  Vec<T> y = fma(half, parts.less_one, half - Vec<T>(T(0.5))) * Vec<T>(T(2));
  y = choose(parts.n > Vec<T>(T(Numbers::bias + 1)), infinity<T>(), y);
  // Small ones are their own result, with the sign of zero; NaN is too.
  return choose((abs(x) > Vec<T>(std::numeric_limits<T>::epsilon() / 4)), y, x);
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
