// SPDX-License-Identifier: MIT
/// \file
/// sinh, cosh, asinh, acosh and atanh on Vec<T>, and hypot, found by the formulas of src/ in place
/// of those of <cmath>.
///
/// The logarithms as in simd_logarithms.h, the other polynomials fitted at Chebyshev's points.
#pragma once

#include <type_traits>

#include "simd.h"
#include "simd_digits.h"
#include "simd_logarithms.h"
#include "simd_math.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// What differs between float32 and float64.
template <class T>
struct HyperbolicNumbers;

template <>
struct HyperbolicNumbers<float> {
  static constexpr float usual = 80.0F;        // 2^-n is a normal number up to here
  static constexpr float most = 95.0F;         // sinh and cosh are infinite before it
  static constexpr float most_inner = 100.0F;  // larger n are left to `outer`
  static constexpr float square_is_finite = 1e18F;
  /// (sinh(r) / r - 1) / r^2 and (cosh(r) - 1) / r^2 in r^2 for |r| <= ln(2) / 2.
  static constexpr float sinh[] = {0.0001989108046F, 0.008333310845F, 0.1666666668F};
  static constexpr float cosh[] = {0.001393373072F, 0.0416664642F, 0.5000000014F};
  static constexpr float small = 0.5F;  // from here on 1 - x is exact
  /// (2 atanh(s) - 2 s) / s^3 in s^2 for |s| <= small.
  static constexpr float atanh[] = {0.3127015133F, 0.08175165296F, 0.1950593391F, 0.2210142334F,
                                    0.2857658433F, 0.3999991845F,  0.6666666688F};
};

template <>
struct HyperbolicNumbers<double> {
  static constexpr double usual = 700.0;
  static constexpr double most = 720.0;
  static constexpr double most_inner = 1000.0;
  static constexpr double square_is_finite = 1e150;
  static constexpr double sinh[] = {2.5100472505694996e-8, 2.75572682769056962e-6,
                                    0.00019841269863171556, 0.0083333333333300382,
                                    0.166666666666666675};
  static constexpr double cosh[] = {2.09182123191339782e-9,  2.75572630773094115e-7,
                                    0.000024801587336630947, 0.00138888888888790031,
                                    0.0416666666666666769,   0.5};
  static constexpr double small = 0.1715;  // no more than (sqrt(2) - 1) / (sqrt(2) + 1)
  static constexpr auto& atanh = kAtanhSeries;
};

/// size = n ln 2 + r: sinh(r) and cosh(r) - 1, and cosh(n ln 2) and sinh(n ln 2).  Not of Any size:
/// of those up to `usual`.
template <bool Any, class T>
struct Hyperbolic {
  Vec<T> sine;
  Vec<T> cosine_less_one;
  Vec<T> cosine_of_n;
  Vec<T> sine_of_n;
  Vec<T> cosine_lost;  ///< What the roundings of those two lose, in float32.
  Vec<T> sine_lost;
  Vec<T> outer;  ///< A power of 2, by which the result is to be multiplied last.

  GAIA_INLINE explicit Hyperbolic(Vec<T> size) {
    using V = Vec<T>;
    using Numbers = HyperbolicNumbers<T>;
    const V bounded = Any ? min(size, V(Numbers::most)) : size;
    const V shift(ExpNumbers<T>::rounding);
    const V shifted = fma(bounded, V(T(1.44269504088896340736)), shift);
    const V n = shifted - shift;
    const V first = fnma(n, V(ExpNumbers<T>::ln2_high), bounded);
    const V r = fnma(n, V(ExpNumbers<T>::ln2_low), first);
    const V square = r * r;
    const V share = polynomial(square, Numbers::sinh) * square;
    if constexpr (sizeof(T) == 4) {
      // Where n is 1 the terms of sinh have different signs, and what r has lost counts thrice: too
      // much for 2 units in the last place.
      sine = r + fma(share, r, fnma(n, V(ExpNumbers<T>::ln2_low), first - r));
    } else {
      sine = fma(share, r, r);
    }
    cosine_less_one = polynomial(square, Numbers::cosh) * square;
    V rising;
    V falling;
    if constexpr (Any) {
      const V inner = min(n, V(Numbers::most_inner));
      rising = power_of_two(inner - V(T(1)));
      falling = power_of_two(-inner - V(T(1)));
      outer = power_of_two(n - inner);
    } else {
      // The last digits of `shifted` are n, which is added to the exponent of 1/2 and taken away.
      using Integers = typename V::Integers;
      const Integers exponent = (Integers)shifted.raw << ExpNumbers<T>::mantissa;
      const Integers half = (Integers)V(T(0.5)).raw;
      rising = V((typename V::Raw)(half + exponent));
      falling = V((typename V::Raw)(half - exponent));
    }
    cosine_of_n = rising + falling;
    sine_of_n = rising - falling;
    if constexpr (sizeof(T) == 4) {
      cosine_lost = (rising - cosine_of_n) + falling;
      sine_lost = (rising - sine_of_n) - falling;
    } else {
      cosine_lost = V(T(0));
      sine_lost = V(T(0));
    }
  }
};

template <bool Any, class T>
GAIA_INLINE Vec<T> sinh_of(Vec<T> x) {
  const Hyperbolic<Any, T> h(abs(x));
  const Vec<T> y =
      h.sine_of_n + fma(h.cosine_of_n, h.sine, fma(h.sine_of_n, h.cosine_less_one, h.sine_lost));
  return Any ? choose(x == x, flip_sign(y * h.outer, x), x) : flip_sign(y, x);
}

template <bool Any, class T>
GAIA_INLINE Vec<T> cosh_of(Vec<T> x) {
  const Hyperbolic<Any, T> h(abs(x));
  const Vec<T> y = h.cosine_of_n +
                   fma(h.sine_of_n, h.sine, fma(h.cosine_of_n, h.cosine_less_one, h.cosine_lost));
  return Any ? choose(x == x, y * h.outer, x) : y;
}

template <class T>
__attribute__((noinline, cold)) Vec<T> rare_sinh(Vec<T> x) {
  return sinh_of<true>(x);
}
template <class T>
__attribute__((noinline, cold)) Vec<T> rare_cosh(Vec<T> x) {
  return cosh_of<true>(x);
}

/// Whether some lane is NaN or larger than most are.
template <class T>
GAIA_INLINE bool any_is_unusual(Vec<T> x) {
  return any(!(abs(x) <= Vec<T>(HyperbolicNumbers<T>::usual)));
}

template <class T>
GAIA_INLINE Vec<T> sinh(Vec<T> x) {
  return with_digits_to_spare(
      x, [](auto p) { return any_is_unusual(p) ? rare_sinh(p) : sinh_of<false>(p); });
}

template <class T>
GAIA_INLINE Vec<T> cosh(Vec<T> x) {
  return with_digits_to_spare(
      x, [](auto p) { return any_is_unusual(p) ? rare_cosh(p) : cosh_of<false>(p); });
}

/// log(u + lost), where u is normal and above 0, and u + lost rounds to u.
template <class T>
GAIA_INLINE Vec<T> log_of_sum(Vec<T> u, Vec<T> lost) {
#if defined(__AVX512F__)
  return log_of_normal<Natural>(u, lost);
#else
  using V = Vec<T>;
  const Split<T> parts(u);
  const V f = parts.mantissa_less_one;
  const V lost_of_f = lost * power_of_two(-parts.exponent);
  if constexpr (sizeof(T) == 4) {
    // lost / (1 + f), and about that is enough.
    const V one(T(1));
    return log_of_parts(f, parts.exponent, lost_of_f * fma(f, f - one, one));
  } else {
    return log_of_parts(f + lost_of_f, parts.exponent);
  }
#endif
}

/// acosh(x) of 1 <= x <= square_is_finite, by x - 1, which is exact.
template <class T>
GAIA_INLINE Vec<T> acosh_of_moderate(Vec<T> x) {
  const Vec<T> t = x - Vec<T>(T(1));
  const Vec<T> root = sqrt(fma(t, t, t + t));
  const Vec<T> u = x + root;
  return log_of_sum(u, root - (u - x));
}

/// asinh(x) of 0 <= x <= square_is_finite, as log(1 + s).
template <class T>
GAIA_INLINE Vec<T> asinh_of_moderate(Vec<T> x) {
  const Vec<T> one(T(1));
  const Vec<T> square = x * x;
  const Vec<T> s = x + square / (one + sqrt(square + one));
  const Vec<T> u = one + s;
  return log_of_sum(u, min(one, s) - (u - max(one, s)));
}

template <class T>
__attribute__((noinline, cold)) Vec<T> rare_asinh(Vec<T> size) {
  using V = Vec<T>;
  const Mask<T> is_large = size > V(HyperbolicNumbers<T>::square_is_finite);
  const V y = asinh_of_moderate(choose(is_large, V(T(1)), size));
  return choose(is_large, log(size) + V(T(0.69314718055994530942)), y);
}

template <class T>
__attribute__((noinline, cold)) Vec<T> rare_acosh(Vec<T> x) {
  using V = Vec<T>;
  const V one(T(1));
  const Mask<T> is_large = x > V(HyperbolicNumbers<T>::square_is_finite);
  const V y = acosh_of_moderate(choose((x >= one) & !is_large, x, one));
  const V any_size = choose(is_large, log(x) + V(T(0.69314718055994530942)), y);
  return choose(x >= one, any_size, not_a_number<T>());
}

template <class T>
GAIA_INLINE Vec<T> asinh(Vec<T> x) {
  return with_digits_to_spare(x, [](auto p) {
    using V = decltype(p);
    using Number = std::remove_const_t<decltype(p[0])>;
    const V size = abs(p);
    const bool all_usual = !any(!(size <= V(HyperbolicNumbers<Number>::square_is_finite)));
    return with_sign(all_usual ? asinh_of_moderate(size) : rare_asinh(size), p);
  });
}

template <class T>
GAIA_INLINE Vec<T> acosh(Vec<T> x) {
  return with_digits_to_spare(x, [](auto p) {
    using V = decltype(p);
    using Number = std::remove_const_t<decltype(p[0])>;
    const V most(HyperbolicNumbers<Number>::square_is_finite);
    return any(!((p >= V(Number(1))) & (p <= most))) ? rare_acosh(p) : acosh_of_moderate(p);
  });
}

/// log((1 + x) / (1 - x)) / 2, where the quotient is m 2^e, by s = (m - 1) / (m + 1).
template <class T>
GAIA_INLINE Vec<T> atanh_of(Vec<T> x) {
  using V = Vec<T>;
  const V one(T(1));
  const V half(T(0.5));
  const V size = abs(x);
  const Split<T> parts(one - size);
  const V below = parts.mantissa_less_one + one;
  const Mask<T> doubled = one + size > V(T(1.41421356237309504880)) * below;
  const V rise = choose(doubled, half, one);
  // m is rise (1 + x) / below, and s is x itself where 1 - x would lose digits that count.
  const Mask<T> small = size < V(HyperbolicNumbers<T>::small);
  const V risen = rise * size;
  const V s =
      choose(small, size, (rise - below) + risen) / choose(small, one, (rise + below) + risen);
  const V e = choose(small, V(T(0)), choose(doubled, half, V(T(0))) - half * parts.exponent);
  const V square = s * s;
  const V rest = polynomial(square, HyperbolicNumbers<T>::atanh) * square * s;
  const V low = fma(e, V(ExpNumbers<T>::ln2_low), half * rest);
  const V y = fma(e, V(ExpNumbers<T>::ln2_high), s + low);
  const V beyond = choose(size == one, infinity<T>(), not_a_number<T>());
  return flip_sign(choose(size < one, y, beyond), x);
}

template <class T>
GAIA_INLINE Vec<T> atanh(Vec<T> x) {
  return with_digits_to_spare(x, [](auto p) { return atanh_of(p); });
}

/// What differs between float32 and float64 in hypot: powers of 2.
template <class T>
struct HypotNumbers;

template <>
struct HypotNumbers<float> {
  static constexpr float large = 0x1p62F;   // whose square is far from the largest number
  static constexpr float small = 0x1p-50F;  // whose square's last digit is a normal number
  static constexpr float lift = 0x1p100F;
};

template <>
struct HypotNumbers<double> {
  static constexpr double large = 0x1p510;
  static constexpr double small = 0x1p-450;
  static constexpr double lift = 0x1p600;
};

/// sqrt(a^2 + b^2), infinite where either is, even beside NaN.
template <class T>
GAIA_INLINE Vec<T> hypot(Vec<T> a, Vec<T> b) {
  using V = Vec<T>;
  using Numbers = HypotNumbers<T>;
  const V one(T(1));
  const V p = abs(a);
  const V q = abs(b);
  const V larger = max(p, q);
  const Mask<T> is_large = larger > V(Numbers::large);
  const Mask<T> is_small = larger < V(Numbers::small);
  const V lift = choose(is_large, V(T(1) / Numbers::lift), choose(is_small, V(Numbers::lift), one));
  const V drop = choose(is_large, V(Numbers::lift), choose(is_small, V(T(1) / Numbers::lift), one));
  const V left = p * lift;
  const V right = q * lift;
  const V y = sqrt(fma(left, left, right * right)) * drop;
  return choose((p == infinity<T>()) | (q == infinity<T>()), infinity<T>(), y);
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
