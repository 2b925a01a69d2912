// SPDX-License-Identifier: MIT
/// \file
/// exp2 and pow on Vec<T>, found by the formulas of src/ in place of those of <cmath>.
///
/// Whole powers of 2 are exact.  The logarithm of pow in float64 in two parts, by tables where
/// registers hold them, or else after fdlibm (Sun Microsystems, 1993); polynomials fitted at
/// Chebyshev's points.
#pragma once

#include "simd.h"
#include "simd_digits.h"
#include "simd_lanes.h"
#include "simd_logarithms.h"
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

#if GAIA_HAS_FMA
#if defined(__AVX512F__)
/// log2 of a normal x above 0, to 64 bits, as log_of_normal finds it.
GAIA_INLINE TwoParts log2_in_two(Vec<double> x) {
  using V = Vec<double>;
  using Pieces = LogPieces<double, Base2>;
  // log2(1 + r) = slope r - slope r^2 / 2 + r^3 series(r), the slope in two parts.
  const V slope(Pieces::slope);
  const V half_slope(-0.5 * Pieces::slope);
  constexpr double slope_low = 2.0355273740931033e-17;
  constexpr double series[] = {0.13139824947257384, -0.14453400148001713, 0.16029927009181866,
                               -0.180336686310846,  0.20609929160410315,  -0.24044917353407452,
                               0.2885390081777891,  -0.360673760222237,   0.4808983469629878};
  const LogParts<double> parts(x);
  const V inverse = looked_up(Pieces::inverse, parts.piece);
  const V quotient = parts.m * inverse;
  const V r = quotient - V(1.0);
  const V r_low = product_error(parts.m, inverse, quotient);
  // The derivative, slope / (1 + r), with three terms of its series.
  const V of_r_low = r_low * slope * fma(r, r - V(1.0), V(1.0));
  const V first = r * slope;
  const V first_low = product_error(r, slope, first) + fma(r, V(slope_low), of_r_low);
  const V square = r * r;
  const V square_low = product_error(r, r, square);
  const V second = square * half_slope;
  const V second_low = product_error(square, half_slope, second) +
                       fma(square_low, half_slope, square * V(-0.5 * slope_low));
  const V cubic = polynomial(r, series) * (square * r);
  // Exact, and larger than `first` or not much smaller: its last digit is at 2^-42.
  const V whole = parts.k + looked_up(Pieces::high, parts.piece);
  const TwoParts linear = sum_in_two(whole, first);
  const TwoParts bent = sum_in_two(linear.high, second);
  const V low = ((linear.low + bent.low) + (first_low + second_low)) +
                (looked_up(Pieces::low, parts.piece) + cubic);
  return sum_in_two(bent.high, low);
}
#else
/// log2 of a normal x above 0, to 64 bits.
GAIA_INLINE TwoParts log2_in_two(Vec<double> x) {
  using V = Vec<double>;
  const Split<double> split(x);
  const V f = split.mantissa_less_one;
  const V e = split.exponent;
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
#endif

/// size^b of size > 0, which is normal if it is not of Any size.
template <bool Any>
GAIA_INLINE Vec<double> power_of_positive(Vec<double> size, Vec<double> b) {
  using V = Vec<double>;
  TwoParts l;
  if constexpr (Any) {
    const Mask<double> tiny = size < V(std::numeric_limits<double>::min());
    const TwoParts lifted = log2_in_two(choose(tiny, size * V(0x1p54), size));
    l = sum_in_two(lifted.high, choose(tiny, V(-54.0), V(0.0)));
    l.low += lifted.low;
  } else {
    l = log2_in_two(size);
  }
  const V high = b * l.high;
  const V low = fma(b, l.low, product_error(b, l.high, high));
  const V limit(1100.0);
  const V within = max(min(high, limit), -limit);
  const V n = nearbyint(within);
  const V f = choose(within == high, (within - n) + low, V(0.0));
  return scaled(exp2_of_fraction(f), n);
}

#if defined(__AVX512F__)
/// log2 of float32 to some 34 digits by tables that fill two registers, as log_of_normal finds it
/// in float64: inverses of 7 digits, for which r is exact, and logarithms of the middles in two
/// parts, the high ones multiples of 2^-15.
struct Log2Pieces {
  static constexpr float start = 0.6953125F;
  static constexpr float slope_high = 1.44269502F;
  static constexpr float slope_low = 1.92596303e-08F;
  static constexpr float series[] = {0.290021986F, -0.36075148F, 0.480898112F, -0.721347511F};
  alignas(64) static constexpr float inverse[] = {
      1.421875F, 1.390625F, 1.359375F,  1.328125F, 1.3125F,  1.28125F,  1.25F,      1.234375F,
      1.203125F, 1.1875F,   1.15625F,   1.140625F, 1.125F,   1.109375F, 1.078125F,  1.0625F,
      1.046875F, 1.03125F,  1.015625F,  1.0F,      0.96875F, 0.9375F,   0.9140625F, 0.890625F,
      0.859375F, 0.84375F,  0.8203125F, 0.796875F, 0.78125F, 0.765625F, 0.7421875F, 0.7265625F};
  alignas(64) static constexpr float high[] = {
      -0.507781982F,  -0.475738525F, -0.442932129F, -0.409393311F,  -0.392303467F,  -0.357543945F,
      -0.321929932F,  -0.303771973F, -0.266784668F, -0.247924805F,  -0.209442139F,  -0.189819336F,
      -0.169921875F,  -0.149749756F, -0.108520508F, -0.0874633789F, -0.0661010742F, -0.0444030762F,
      -0.0223693848F, 0.0F,          0.0458068848F, 0.0931091309F,  0.129638672F,   0.167114258F,
      0.21862793F,    0.245117188F,  0.285766602F,  0.327575684F,   0.356140137F,   0.385284424F,
      0.430145264F,   0.460845947F};
  alignas(64) static constexpr float low[] = {
      -1.2657777e-05F,  5.09442407e-06F,  -1.13669421e-05F, 2.37440918e-06F, -1.39559816e-05F,
      -8.0593054e-06F,  1.83675331e-06F,  -8.77552066e-06F, -1.8727261e-06F, -2.70875603e-06F,
      -1.12269572e-05F, -5.22294249e-06F, -3.12644238e-06F, 2.63635479e-06F, -3.94896551e-06F,
      5.37655922e-07F,  1.18837606e-05F,  8.95681387e-06F,  1.57173713e-06F, 0.0F,
      -3.19515243e-06F, 2.73532095e-07F,  -3.39145845e-06F, -4.2719771e-06F, 1.23567879e-05F,
      -4.68966346e-06F, -1.21192288e-05F, -1.02556521e-06F, 3.67350663e-06F, 5.73205671e-06F,
      -8.72002829e-07F, -4.75837351e-06F};
};

/// What log2(a^b) is, high + low, of normal a > 0 raised by 2^`raised`.
struct PowerExponent {
  Vec<float> high;
  Vec<float> low;

  GAIA_INLINE PowerExponent(Vec<float> a, Vec<float> b, Vec<float> raised) {
    using V = Vec<float>;
    using Integers = V::Integers;
    using Pieces = Log2Pieces;
    constexpr int mantissa = ExpNumbers<float>::mantissa;
    constexpr std::int32_t all_but_mantissa = ~((std::int32_t{1} << mantissa) - 1);
    const Integers from_start = (Integers)a.raw - (Integers)V(Pieces::start).raw;
    const Integers piece = from_start >> (mantissa - 5);
    const V k = V(__builtin_convertvector(from_start >> mantissa, V::Raw)) - raised;
    const V m((V::Raw)((Integers)a.raw - (from_start & (all_but_mantissa - Integers{}))));
    const V r = fma(m, looked_up(Pieces::inverse, piece), V(-1.0F));
    const V most = k + looked_up(Pieces::high, piece);
    const V first = r * V(Pieces::slope_high);
    const V first_lost = product_error(r, V(Pieces::slope_high), first);
    const V log2_high = most + first;
    // The smallest terms first, with what r^2 loses: all that is lost here is multiplied by b.
    const V square = r * r;
    const V small = fma(product_error(r, r, square), V(Pieces::series[3]),
                        ((first - (log2_high - most)) + first_lost) +
                            fma(r, V(Pieces::slope_low), looked_up(Pieces::low, piece)));
    const V log2_low = fma(polynomial(r, Pieces::series), square, small);
    high = b * log2_high;
    low = fma(b, log2_low, product_error(b, log2_high, high));
  }
};

/// size^b of size > 0, which is normal if it is not of Any size.
template <bool Any>
GAIA_INLINE Vec<float> power_of_positive(Vec<float> size, Vec<float> b) {
  using V = Vec<float>;
  const Mask<float> tiny = size < V(std::numeric_limits<float>::min());
  const PowerExponent exponent =
      Any ? PowerExponent(choose(tiny, size * V(0x1p24F), size), b, choose(tiny, V(24.0F), V(0.0F)))
          : PowerExponent(size, b, V(0.0F));
  const V limit(200.0F);
  const V high = max(min(exponent.high, limit), -limit);
  const V low = choose(high == exponent.high, exponent.low, V(0.0F));
  const V n = nearbyint(high + low);
  return scaled(exp2_of_fraction((high - n) + low), n);
}
#else
/// In float64, for the digits of float32; what is subnormal in this is not in that.
template <bool Any>
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
#endif

/// a^b, with the special cases of C99 (Annex F).
template <class T>
GAIA_INLINE Vec<T> pow(Vec<T> a, Vec<T> b) {
  using V = Vec<T>;
  const V zero(T(0));
  const V one(T(1));
  const Mask<T> usual =
      (a >= V(std::numeric_limits<T>::min())) & (a < infinity<T>()) & (abs(b) < infinity<T>());
  if (!any(!usual)) return power_of_positive<false>(a, b);
  const V size = abs(a);
  V y = power_of_positive<true>(size, b);
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

#if defined(__AVX512F__)
__attribute__((noinline, cold)) inline Vec<float> rare_power(Vec<float> a, Vec<float> b) {
  return pow<float>(a, b);
}

/// The same, quickly where all lanes of a hold normal numbers above 0, and all results are such.
GAIA_INLINE Vec<float> pow(Vec<float> a, Vec<float> b) {
  using V = Vec<float>;
  using Integers = V::Integers;
  const PowerExponent exponent(a, b, V(0.0F));
  const Mask<float> usual = (a >= V(std::numeric_limits<float>::min())) & (a < infinity<float>()) &
                            (abs(exponent.high) <= V(124.0F));
  if (any(!usual)) return rare_power(a, b);
  const V shift(ExpNumbers<float>::rounding);
  const V shifted = (exponent.high + exponent.low) + shift;
  const V f = (exponent.high - (shifted - shift)) + exponent.low;
  // The last digits of the sum are those of the exponent.
  const Integers n = (Integers)shifted.raw << ExpNumbers<float>::mantissa;
  return V((V::Raw)((Integers)exp2_of_fraction(f).raw + n));
}
#endif
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
