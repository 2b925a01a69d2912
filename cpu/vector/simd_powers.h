// SPDX-License-Identifier: MIT
/// \file
/// exp2, log2, log10 and pow on Vec<T>, found by the formulas of src/ in place of those of <cmath>.
///
/// Whole powers of 2 and of 10 have whole logarithms, and the other way round.  The logarithm in
/// float64 as in FreeBSD's msun (after fdlibm, Sun Microsystems, 1993), that of pow in two parts;
/// other polynomials fitted at Chebyshev's points.
#pragma once

#include "simd.h"
#include "simd_digits.h"
#include "simd_math.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// What differs between float32 and float64 in exp2.
template <class T>
struct Exp2Numbers;

template <>
struct Exp2Numbers<float> {
  static constexpr float most = 129.0F;    // exp2 is infinite before it
  static constexpr float least = -152.0F;  // and 0 before it
  /// (2^f - 1) / f for |f| <= 1/2, highest power first.
  static constexpr float series[] = {0.0001545316295F, 0.001339086336F, 0.009618082557F,
                                     0.05550357114F,   0.2402265076F,   0.693147188F};
};

template <>
struct Exp2Numbers<double> {
  static constexpr double most = 1025.0;
  static constexpr double least = -1077.0;
  static constexpr double series[] = {
      2.57293241773623042e-11, 4.45581790833606449e-10, 7.05489730415549928e-9,
      1.01780570877339411e-7,  1.32154868087055628e-6,  0.0000152527338415567726,
      0.000154035303933707334, 0.00133335581464064707,  0.00961812910762847949,
      0.055504108664821627,    0.240226506959100712,    0.693147180559945309};
};

/// 2^f for |f| <= 1/2, to the digits of T.
template <class T>
GAIA_INLINE Vec<T> exp2_of_fraction(Vec<T> f) {
  return fma(polynomial(f, Exp2Numbers<T>::series), f, Vec<T>(T(1)));
}

template <class T>
GAIA_INLINE Vec<T> exp2(Vec<T> x) {
  using Numbers = Exp2Numbers<T>;
  const Vec<T> bounded = max(min(x, Vec<T>(Numbers::most)), Vec<T>(Numbers::least));
  const Vec<T> n = nearbyint(bounded);
  return choose(x == x, scaled(exp2_of_fraction(bounded - n), n), x);
}

/// ln(2) as a logarithm of another base: it is log(x) times `high` + `low`, and the logarithm of 2
/// is `two_high` + `two_low`.  Products of the high parts with their factors are exact.
struct Base2 {
  static constexpr double high = 1.44269504072144627571e+00;
  static constexpr double low = 1.67517131648865118353e-10;
  static constexpr double two_high = 1.0;
  static constexpr double two_low = 0.0;
};
struct Base10 {
  static constexpr double high = 4.34294481878168880939e-01;
  static constexpr double low = 2.50829467116452752298e-11;
  static constexpr double two_high = 3.01029995663611771306e-01;
  static constexpr double two_low = 3.69423907715893078616e-13;
};

template <class Base>
GAIA_INLINE Vec<double> log_of_parts_to(Vec<double> f, Vec<double> e) {
  using V = Vec<double>;
  const V s = f / (V(2.0) + f);
  const V square = s * s;
  const V half = V(0.5) * f * f;
  constexpr std::int64_t upper_digits = ~std::int64_t{0xffffffff};
  const V upper((V::Raw)((V::Integers)(f - half).raw & (upper_digits - V::Integers{})));
  const V lower = ((f - upper) - half) + s * fma(polynomial(square, kAtanhSeries), square, half);
  const V high = upper * V(Base::high);
  const V whole = e * V(Base::two_high);
  const V y = whole + high;
  const V low = fma(e, V(Base::two_low), fma(lower + upper, V(Base::low), lower * V(Base::high)));
  return y + (low + ((whole - y) + high));
}

GAIA_INLINE Vec<double> log2(Vec<double> x) {
  return logarithm(x, [](Vec<double> f, Vec<double> e) { return log_of_parts_to<Base2>(f, e); });
}
GAIA_INLINE Vec<double> log10(Vec<double> x) {
  return logarithm(x, [](Vec<double> f, Vec<double> e) { return log_of_parts_to<Base10>(f, e); });
}

GAIA_INLINE Vec<float> log2(Vec<float> x) {
  using V = Vec<float>;
  return logarithm(x, [](V f, V e) {
    // (log2(1 + f) / f - 1 / ln(2)) / f
    constexpr float series[] = {0.09765637521F, -0.1667364191F, 0.1704131023F, -0.1791944744F,
                                0.205328944F,   -0.2404617265F, 0.28855988F,   -0.3606739181F,
                                0.4808981949F,  -0.7213475196F};
    const V over_f = fma(polynomial(f, series), f, V(0.442695040889F));
    return e + fma(over_f, f, f);
  });
}

GAIA_INLINE Vec<float> log10(Vec<float> x) {
  using V = Vec<float>;
  return logarithm(x, [](V f, V e) {
    // (log10(1 + f) / f - 1 / ln(10)) / f
    constexpr float series[] = {0.02939749821F, -0.05019266353F, 0.05129945546F, -0.05394291184F,
                                0.06181017111F, -0.07238619247F, 0.08686517942F, -0.108573668F,
                                0.1447647815F,  -0.2171472407F};
    const V over_f = fma(polynomial(f, series), f, V(0.434294481903F));
    return fma(e, V(0.301025390625F), fma(over_f, f, e * V(4.605038981e-6F)));
  });
}

#if GAIA_HAS_FMA
/// log2((1 + f) 2^e) to 64 bits.
GAIA_INLINE TwoParts log2_in_two(Vec<double> f, Vec<double> e) {
  using V = Vec<double>;
  // (2 atanh(s) / ln(2) - 2 s / ln(2) - 2 s^3 / (3 ln(2))) / s^5 in s^2.
  constexpr double series[] = {0.186311139538094689, 0.191675281124281967, 0.221966941691544502,
                               0.262308045696624644, 0.320598898681954035, 0.41219858310982986,
                               0.577078016355585755};
  // s = f / (2 + f), whose remainder gives the second part.
  const TwoParts divisor = sum_in_two(V(2.0), f);
  const V inverse = V(1.0) / divisor.high;
  TwoParts s;
  s.high = f * inverse;
  const TwoParts back = product_in_two(s.high, divisor.high);
  s.low = fnma(s.high, divisor.low, (f - back.high) - back.low) * inverse;
  const V square = s.high * s.high;
  const TwoParts squared{square,
                         fma(s.high + s.high, s.low, product_error(s.high, s.high, square))};
  const TwoParts factor = sum_in_two(
      V(0.9617966939259756), fma(polynomial(square, series), square, V(5.0577616648125907e-17)));
  const TwoParts third = product_in_two(product_in_two(s, squared), factor);
  const TwoParts first = product_in_two(s, {V(2.8853900817779268), V(4.0710547481862066e-17)});
  const TwoParts whole = sum_in_two(e, first.high);
  const TwoParts y = sum_in_two(whole.high, third.high);
  return {y.high, y.low + (whole.low + (first.low + third.low))};
}

/// size^b of size > 0.
GAIA_INLINE Vec<double> power_of_positive(Vec<double> size, Vec<double> b) {
  using V = Vec<double>;
  const Mask<double> tiny = size < V(std::numeric_limits<double>::min());
  const Split<double> parts(choose(tiny, size * V(18014398509481984.0), size));
  const TwoParts l =
      log2_in_two(parts.mantissa_less_one, choose(tiny, parts.exponent - V(54.0), parts.exponent));
  const V high = b * l.high;
  const V low = fma(b, l.low, product_error(b, l.high, high));
  const V limit(1100.0);
  const V within = max(min(high, limit), -limit);
  const V n = nearbyint(within);
  const V f = choose(within == high, (within - n) + low, V(0.0));
  return scaled(exp2_of_fraction(f), n);
}

/// In float64, for the digits of float32.
GAIA_INLINE Vec<float> power_of_positive(Vec<float> size, Vec<float> b) {
  using V = Vec<double>;
  return in_double(size, b, [](V p, V q) {
    // log2(1 + f) / f: a division would take longer.
    constexpr double series[] = {
        0.0755379039801341135, -0.141447882105873892, 0.144950529998158444, -0.143490393752809959,
        0.158783568325107184,  -0.18027102577114941,  0.206172832267519854, -0.240454336964119982,
        0.288537394378739534,  -0.360673655315939584, 0.4808983601762459,   -0.721347520963155164,
        1.44269504087087945};
    const Split<double> parts(p);
    const V f = parts.mantissa_less_one;
    const V log2 = fma(polynomial(f, series), f, parts.exponent);
    const V limit(200.0);
    const V exponent = max(min(q * log2, limit), -limit);
    const V n = nearbyint(exponent);
    constexpr double fraction[] = {0.000154531629451206902, 0.00133908633646712344,
                                   0.00961808255727785149,  0.0555035711421907782,
                                   0.240226507605681269,    0.693147188026228781};
    const V r = exponent - n;
    return fma(polynomial(r, fraction), r, V(1.0)) * power_of_two(n);
  });
}

/// a^b, with the special cases of C99 (Annex F).
template <class T>
GAIA_INLINE Vec<T> pow(Vec<T> a, Vec<T> b) {
  using V = Vec<T>;
  const V zero(T(0));
  const V one(T(1));
  const V size = abs(a);
  V y = power_of_positive(size, b);
  const Mask<T> usual = (a > zero) & (a < infinity<T>()) & (abs(b) < infinity<T>());
  if (!any(!usual)) return y;
  const Mask<T> whole = trunc(b) == b;
  const V half = b * V(T(0.5));
  const Mask<T> odd = whole & (trunc(half) != half);
  const Mask<T> falls = b < zero;
  y = choose(size == zero, choose(falls, infinity<T>(), zero), y);
  y = choose(size == infinity<T>(), choose(falls, zero, infinity<T>()), y);
  y = choose((a < zero) & (size < infinity<T>()) & !whole, not_a_number<T>(), y);
  y = choose(odd, flip_sign(y, a), y);
  y = choose((size == one) & (abs(b) == infinity<T>()), one, y);
  y = choose((a != a) | (b != b), not_a_number<T>(), y);
  return choose((b == zero) | (a == one), one, y);
}
#else
namespace library {
struct Power {
  GAIA_INLINE float operator()(float a, float b) const { return __builtin_powf(a, b); }
  GAIA_INLINE double operator()(double a, double b) const { return __builtin_pow(a, b); }
};
}  // namespace library

/// Without FMA the C library is faster.
template <class T>
GAIA_INLINE Vec<T> pow(Vec<T> a, Vec<T> b) {
  return rare_lanes(a, b, library::Power{});
}
#endif

}  // namespace gaia::cpu::GAIA_VECTOR_SET
