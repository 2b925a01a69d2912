// SPDX-License-Identifier: MIT
/// \file
/// exp, log and their kin on Vec<T>, found by the formulas of src/ in place of those of <cmath>.
///
/// All numbers, infinities and NaN are answered as <cmath> does, but for the flags of errno.
/// Worst errors (tests/cpu/elementwise_test.cpp): 2 ulp in float32, 4 ulp in float64.  Polynomials
/// for float32 after S. L. Moshier's Cephes library (1984-2000), the logarithm in float64 after
/// fdlibm (Sun Microsystems, 1993); those of exp in float64 were fitted at Chebyshev's points.
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
  static constexpr float rounding = 12582912.0F;  // 1.5 * 2^23: x + it - it is x to the nearest integer
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
  /// As above, through Chebyshev's points.
  static constexpr double series[] = {2.5100472505694996e-8,  2.76202015910315488e-7,
                                      2.75572682769056962e-6, 0.0000248015210578682052,
                                      0.00019841269863171556, 0.00138888889173670806,
                                      0.0083333333333300382,  0.0416666666666238205,
                                      0.166666666666666675,   0.500000000000000103};
  static constexpr double slope[] = {
      2.09181377376427364e-9, 2.51100492048186598e-8, 2.75572632790884969e-7,
      2.75572408872298686e-6, 2.48015873364422379e-5, 1.98412698900764028e-4,
      1.3888888888879074e-3,  8.33333333331958962e-3, 4.16666666666666768e-2,
      1.66666666666666808e-1, 0.5,                    1.0};
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

  /// Of x + correction, where that is small beside x.
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
  const Vec<T> lowest(T(-64));  // where the answer has long been -1
  const Vec<T> bounded = max(min(x, Vec<T>(Numbers::most)), lowest);
  const ExpParts<T> parts(bounded);
  const Vec<T> one(T(1));
  const Vec<T> half = power_of_two(min(parts.n - one, Vec<T>(T(Numbers::bias))));
  Vec<T> y = fma(half, parts.less_one, half - Vec<T>(T(0.5))) * Vec<T>(T(2));
  y = choose(parts.n > Vec<T>(T(Numbers::bias + 1)), infinity<T>(), y);
  // Small ones are their own answer, with the sign of zero; NaN is too.
  return choose((abs(x) > Vec<T>(std::numeric_limits<T>::epsilon() / 4)), y, x);
}

GAIA_INLINE Vec<float> tanh(Vec<float> x) {
  using V = Vec<float>;
  constexpr float series[] = {-5.70498872745e-3F, 2.06390887954e-2F, -5.37397155531e-2F,
                              1.33314422036e-1F, -3.33332819422e-1F};
  const V size = abs(x);
  const V square = x * x;
  const V small = fma(polynomial(square, series) * square, x, x);
  // From 10 on tanh is 1.
  const ExpParts<float> parts(min(size + size, V(20.0F)));
  const V power = (parts.less_one + V(1.0F)) * power_of_two(parts.n);
  const V rest = V(2.0F) / (power + V(1.0F));
  const V large = choose(x < V(0.0F), rest - V(1.0F), V(1.0F) - rest);
  // Zero keeps its sign, and NaN is its own answer.
  const Mask<float> large_enough = size >= V(1e-5F);
  return choose(large_enough, choose(size < V(0.625F), small, large), x);
}

GAIA_INLINE Vec<double> tanh(Vec<double> x) {
  using V = Vec<double>;
  const V size = abs(x);
  const V t = expm1(size * V(-2.0));
  const V y = -t / (t + V(2.0));
  const V signed_y = choose(x < V(0.0), -y, y);
  return choose(size > V(1e-9), signed_y, x);
}

/// x = m 2^e with m in [sqrt(1/2), sqrt(2)); x is normal and positive.
template <class T>
struct Split {
  Vec<T> mantissa_less_one;
  Vec<T> exponent;

  GAIA_INLINE explicit Split(Vec<T> x) {
    using Integers = typename Vec<T>::Integers;
    using Integer = typename Vec<T>::Integer;
    using Numbers = ExpNumbers<T>;
    // Counted from sqrt(1/2), so that the exponent changes there.
    const Vec<T> root(T(0.70710678118654752440));
    const Integers from_root = (Integers)x.raw - (Integers)root.raw;
    const Integer fraction = (Integer{1} << Numbers::mantissa) - 1;
    const Integers m = (from_root & (fraction - Integers{})) + (Integers)root.raw;
    mantissa_less_one = Vec<T>((typename Vec<T>::Raw)m) - Vec<T>(T(1));
#if defined(__AVX512DQ__)
    exponent =
        Vec<T>(__builtin_convertvector(from_root >> Numbers::mantissa, typename Vec<T>::Raw));
#else
    // AVX2 converts no integers of 64 bits, and shifts none with their sign: so in the last digits
    // of a large number, and counted from below all exponents.
    const Vec<T> large(T(Integer{1} << Numbers::mantissa));
    const Integers raised =
        from_root + ((Integer{Numbers::bias} << Numbers::mantissa) - Integers{});
    const Integers digits =
        ((raised >> Numbers::mantissa) & (Integer{2 * Numbers::bias + 1} - Integers{})) |
        (Integers)large.raw;
    exponent = Vec<T>((typename Vec<T>::Raw)digits) - (large + Vec<T>(T(Numbers::bias)));
#endif
  }
};

/// The logarithm of what `Split` has taken apart.
GAIA_INLINE Vec<float> log_of_parts(Vec<float> f, Vec<float> e) {
  using V = Vec<float>;
  constexpr float series[] = {7.0376836292e-2F,  -1.1514610310e-1F, 1.1676998740e-1F,
                              -1.2420140846e-1F, 1.4249322787e-1F,  -1.6668057665e-1F,
                              2.0000714765e-1F,  -2.4999993993e-1F, 3.3333331174e-1F};
  const V square = f * f;
  V y = polynomial(f, series) * f * square;
  y = fma(e, V(-2.12194440e-4F), y);
  y = fnma(V(0.5F), square, y);
  return fma(e, V(0.693359375F), f + y);
}

/// (2 atanh(s) - 2 s) / s^3 in s^2, for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1): log(1 + f) is
/// 2 atanh(f / (2 + f)).
constexpr double kAtanhSeries[] = {1.479819860511658591e-01, 1.531383769920937332e-01,
                                   1.818357216161805012e-01, 2.222219843214978396e-01,
                                   2.857142874366239149e-01, 3.999999999940941908e-01,
                                   6.666666666666735130e-01};

GAIA_INLINE Vec<double> log_of_parts(Vec<double> f, Vec<double> e) {
  using V = Vec<double>;
  const V s = f / (V(2.0) + f);
  const V square = s * s;
  const V rest = polynomial(square, kAtanhSeries) * square;
  const V half = V(0.5) * f * f;
  const V low = fma(s, half + rest, e * V(1.90821492927058770002e-10));
  return fma(e, V(6.93147180369123816490e-01), f - (half - low));
}

/// A logarithm of any x, where of_parts(f, e) gives that of (1 + f) 2^e.
template <class T, class F>
__attribute__((noinline, cold)) Vec<T> rare_logarithm(Vec<T> x, F of_parts) {
  const Vec<T> zero(T(0));
  const Vec<T> smallest(std::numeric_limits<T>::min());
  const T lift = T(std::int64_t{1} << (ExpNumbers<T>::mantissa + 2));
  const Mask<T> tiny = x < smallest;
  const Split<T> parts(choose(tiny, x * Vec<T>(lift), x));
  const Vec<T> exponent =
      choose(tiny, parts.exponent - Vec<T>(T(ExpNumbers<T>::mantissa + 2)), parts.exponent);
  Vec<T> y = of_parts(parts.mantissa_less_one, exponent);
  y = choose(x == zero, -infinity<T>(), y);
  y = choose(x == infinity<T>(), x, y);
  return choose(x >= zero, y, not_a_number<T>());
}
/// The same, quickly where all lanes hold normal numbers above 0.
template <class T, class F>
GAIA_INLINE Vec<T> logarithm(Vec<T> x, const F& of_parts) {
  const Mask<T> usual = (x >= Vec<T>(std::numeric_limits<T>::min())) & (x < infinity<T>());
  if (any(!usual)) return rare_logarithm(x, of_parts);
  const Split<T> parts(x);
  return of_parts(parts.mantissa_less_one, parts.exponent);
}

template <class T>
GAIA_INLINE Vec<T> log(Vec<T> x) {
  return logarithm(x, [](Vec<T> f, Vec<T> e) { return log_of_parts(f, e); });
}

/// log(1 + x).
template <class T>
GAIA_INLINE Vec<T> log1p(Vec<T> x) {
  const Vec<T> one(T(1));
  const Vec<T> u = one + x;
  // What was lost in 1 + x, carried over to first order.
  const Vec<T> lost = (x - (u - one)) / u;
  const Vec<T> y = log(u) + choose((u > Vec<T>(T(0))) & (u < infinity<T>()), lost, Vec<T>(T(0)));
  return choose(abs(x) > Vec<T>(std::numeric_limits<T>::epsilon() / 4), y, x);
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
