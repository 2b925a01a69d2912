// SPDX-License-Identifier: MIT
/// \file
/// asin, acos, atan and atan2 on Vec<T>, found by the formulas of src/ in place of those of
/// <cmath>.
///
/// Arguments are folded as in S. L. Moshier's Cephes library (1984-2000); polynomials fitted at
/// Chebyshev's points.
#pragma once

#include "simd.h"
#include "simd_math.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// What differs between float32 and float64 in arcsin.
template <class T>
struct ArcsineNumbers;

template <>
struct ArcsineNumbers<float> {
  static constexpr float half_pi_low = -4.37113883e-8F;
  static constexpr float series[] = {0.0336908472F,  0.01714923836F, 0.03110066274F,
                                     0.04459940153F, 0.07500094543F, 0.1666666634F};
};

template <>
struct ArcsineNumbers<double> {
  static constexpr double half_pi_low = 6.123233995736766e-17;
  static constexpr double series[] = {
      0.0287578513674215647, -0.0148518870712472032, 0.0174008794426940224, 0.0054575067186403583,
      0.0103228143501857793, 0.0114791774151849059,  0.0139712129735529333, 0.0173523927208699729,
      0.0223721729421498879, 0.0303819441385312473,  0.0446428571463554298, 0.0749999999999843293,
      0.166666666666666678};
};

/// The arcsine of |x| <= 1/2, or of sqrt((1 - |x|) / 2), which is half the arccosine of |x|, for
/// larger ones: root and what to add to it.
template <class T>
struct FoldedArcsine {
  Mask<T> is_large;
  Vec<T> root;
  Vec<T> rest;

  GAIA_INLINE explicit FoldedArcsine(Vec<T> size) {
    using V = Vec<T>;
    const V half(T(0.5));
    is_large = size > half;
    const V square = choose(is_large, (V(T(1)) - size) * half, size * size);
    root = choose(is_large, sqrt(square), size);
    rest = root * square * polynomial(square, ArcsineNumbers<T>::series);
  }
};

template <class T>
GAIA_INLINE Vec<T> asin(Vec<T> x) {
  using V = Vec<T>;
  const FoldedArcsine<T> folded(abs(x));
  const V two(T(2));
  const V half_pi(T(1.57079632679489661923));
  const V twice = two * folded.root;
  const V beside = half_pi - twice;
  const V lost = ((half_pi - beside) - twice) + V(ArcsineNumbers<T>::half_pi_low);
  const V large = beside - fma(two, folded.rest, -lost);
  return flip_sign(choose(folded.is_large, large, folded.root + folded.rest), x);
}

template <class T>
GAIA_INLINE Vec<T> acos(Vec<T> x) {
  using V = Vec<T>;
  const FoldedArcsine<T> folded(abs(x));
  const V two(T(2));
  const V half_pi(T(1.57079632679489661923));
  const V half_pi_low(ArcsineNumbers<T>::half_pi_low);
  const Mask<T> negative = x < V(T(0));
  // Two quarter turns, or one, or none, and the folded arcsine with one sign or the other.
  const V near_one = two * folded.root + two * folded.rest;
  const V near_less_one = two * (half_pi - folded.root) + two * (half_pi_low - folded.rest);
  const V rest = half_pi_low - flip_sign(folded.rest, x);
  const V root = flip_sign(folded.root, x);
  const V small = half_pi - (root - rest);
  return choose(folded.is_large, choose(negative, near_less_one, near_one), small);
}

/// What differs between float32 and float64 in arctan.
template <class T>
struct ArctanNumbers;

template <>
struct ArctanNumbers<float> {
  static constexpr float low_share = -2.78275341e-8F;
  /// (arctan(t) / t - 1) / t^2 in t^2 for |t| <= 1.
  static constexpr float series[] = {
      0.001488691939F, -0.009144629761F, 0.02630500111F, -0.04896051403F, 0.0703191425F,
      -0.08931826777F, 0.1108826163F,    -0.1428400379F, 0.1999994932F,   -0.3333333308F};
};

template <>
struct ArctanNumbers<double> {
  /// What pi / 4 in this format leaves of it, as a share.
  static constexpr double low_share = 3.8981718325193755e-17;
  static constexpr double least = 1e-290;  // numbers have all their digits from here on
  static constexpr double lift = 0x1p60;
  /// The same for |t| <= tan(pi / 8).
  static constexpr double series[] = {
      -0.0191620652129840431, 0.0392195495059289216, -0.0508503038794086986, 0.0585806873680124247,
      -0.0666450221335991088, 0.0769218253495238227, -0.09090904549877533,   0.111111110145608392,
      -0.142857142846578914,  0.199999999999954792,  -0.333333333333333301};
};

/// The angle of the point (x, y), both >= 0 and not both infinite, from 0 on; of (-x, y) where
/// `turned` is set.
template <class T>
GAIA_INLINE Vec<T> angle_of(Vec<T> y, Vec<T> x, Mask<T> turned) {
  using V = Vec<T>;
  const V zero(T(0));
  const V one(T(1));
  const V half_turn = choose(turned, V(T(3.14159265358979323846)), zero);
  const V quarter(T(1.57079632679489661923));
  V numerator;
  V denominator;
  V base;
  // The angle less a base is reckoned by its tangent.  In float32 a longer polynomial is less work
  // than a third base, whose difference and sum would cost digits, too.
  if constexpr (sizeof(T) == 4) {
    const Mask<T> high = y > x;
    numerator = choose(high, -x, y);
    denominator = choose(high, y, x);
    base = choose(high, quarter, half_turn);
  } else {
    const Mask<T> low = y <= V(T(0.41421356237309504880)) * x;
    const Mask<T> high = y > V(T(2.41421356237309504880)) * x;
    const V eighth = choose(turned, V(T(2.35619449019234492885)), V(T(0.78539816339744830962)));
    numerator = choose(low, y, choose(high, -x, y - x));
    denominator = choose(low, x, choose(high, y, y + x));
    base = choose(low, half_turn, choose(high, quarter, eighth));
  }
  const V tangent = numerator / choose(denominator == zero, one, denominator);
  const V t = choose(turned, -tangent, tangent);
  const V square = t * t;
  const V rest = polynomial(square, ArctanNumbers<T>::series) * square;
  // What the format leaves of these bases is one share of each.
  return base + (t + fma(rest, t, base * V(ArctanNumbers<T>::low_share)));
}

template <class T>
GAIA_INLINE Vec<T> atan(Vec<T> x) {
  const Mask<T> never{typename Vec<T>::Integers{}};
  return flip_sign(angle_of(abs(x), Vec<T>(T(1)), never), x);
}

template <class T>
GAIA_INLINE Vec<T> atan2(Vec<T> y, Vec<T> x) {
  using V = Vec<T>;
  using Numbers = ArctanNumbers<T>;
  const V one(T(1));
  V height = abs(y);
  V width = abs(x);
  const Mask<T> both = (height == infinity<T>()) & (width == infinity<T>());
  height = choose(both, one, height);
  width = choose(both, one, width);
  if constexpr (sizeof(T) == 8) {
    // Into numbers whose sum is one, too, and which have all their digits.
    const V larger = max(height, width);
    const V scale = choose(larger > V(1e300), V(1.0 / Numbers::lift),
                           choose(larger < V(Numbers::least), V(Numbers::lift), one));
    height *= scale;
    width *= scale;
  }
  const Mask<T> turned{(typename V::Integers)x.raw < typename V::Integers{}};
  return flip_sign(angle_of(height, width, turned), y);
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
