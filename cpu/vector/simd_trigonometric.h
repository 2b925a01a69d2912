// SPDX-License-Identifier: MIT
/// \file
/// sin, cos and tan on Vec<T>, found by the formulas of src/ in place of those of <cmath>.
///
/// Multiples of pi / 2 are taken away in parts whose products with the multiple are exact (Cody and
/// Waite, 1980; without FMA the parts of fdlibm, Sun Microsystems, 1993), up to 1e6; larger
/// numbers go lane by lane to the C library.  Polynomials fitted at Chebyshev's points.
#pragma once

#include "simd.h"
#include "simd_digits.h"
#include "simd_lanes.h"
#include "simd_math.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// Larger numbers are left to the C library: a multiple has 20 bits up to here.
constexpr double kMostAngle = 1e6;

/// What differs between float32 and float64.
template <class T>
struct AngleNumbers;

template <>
struct AngleNumbers<float> {
  /// pi / 2 in parts of 24 bits.
  static constexpr float parts[] = {1.57079637F, -4.37113883e-8F, -1.71512451e-15F};
  /// (sin(r) / r - 1) / r^2, (cos(r) - 1 + r^2 / 2) / r^4 and (tan(r) / r - 1) / r^2 in r^2, for
  /// |r| beyond pi / 4 by what the rounding of 2 / pi adds.
  static constexpr float sine[] = {-0.0001955850361F, 0.008332604305F, -0.1666666388F};
  static constexpr float cosine[] = {2.451848925e-5F, -0.001388815876F, 0.04166666387F};
  static constexpr float tangent[] = {0.004369365271F, 0.0002457823497F, 0.01058579027F,
                                      0.0214323845F,   0.05401993037F,   0.1333310754F,
                                      0.3333333493F};
};

template <>
struct AngleNumbers<double> {
#if GAIA_HAS_FMA
  /// Parts of 53, 33 and 53 bits.
  static constexpr double parts[] = {1.5707963267948966, 6.12323399538461e-17, 3.5215598651832e-27};
#else
  /// Parts of 33 bits, but for the last.
  static constexpr double parts[] = {1.5707963267341256, 6.077100506303966e-11,
                                     2.0222662487111665e-21, 8.4784276603689e-32};
#endif
  /// Series as above, for |r| <= pi / 4.
  static constexpr double sine[] = {1.59181012316772786e-10, -2.50511314554474271e-8,
                                    2.75573161006831226e-6,  -0.000198412698367549702,
                                    0.0083333333333309461,   -0.166666666666666646};
  static constexpr double cosine[] = {-1.13826148694341283e-11, 2.08761460247019329e-9,
                                      -2.75573172705603825e-7,  0.0000248015872987634333,
                                      -0.00138888888888873957,  0.0416666666666666654};
};

/// An angle less the nearest multiple of pi / 2, in two parts, and the multiple's last two digits.
template <class T>
struct QuarterTurns {
  using Integers = typename Vec<T>::Integers;
  Vec<T> rest;
  Vec<T> correction;
  Vec<T> rounded;  ///< Their sum, within 1 ulp, in float32 with FMA.
  Integers count;

  /// The turns of 0 <= size <= kMostAngle.  Each difference is kept with what its rounding loses,
  /// which is much compared with the rest near n quarter turns.
  GAIA_INLINE explicit QuarterTurns(Vec<T> size) {
    using V = Vec<T>;
    constexpr auto& parts = AngleNumbers<T>::parts;
    const V shift(ExpNumbers<T>::rounding);
    const V shifted = fma(size, V(T(0.63661977236758134308)), shift);
    const V n = shifted - shift;
    count = (Integers)shifted.raw;
#if GAIA_HAS_FMA
    // The first difference is exact: it has no digits below the last of the two numbers.
    const V first = exact_fma(-n, V(parts[0]), size);
    if constexpr (sizeof(T) == 4) {
      rounded = exact_fma(-n, V(parts[2]), exact_fma(-n, V(parts[1]), first));
      // The sum of what is lost is rounded if `take` is the larger one, which is little
      // compared with a rest of that size.
      const V take = n * V(parts[1]);
      rest = first - take;
      const V lost = ((first - rest) - take) - product_error(n, V(parts[1]), take);
      correction = exact_fma(-n, V(parts[2]), lost);
    } else {
      // The second product is exact, and so is what it loses, or else nothing is lost.
      rest = exact_fma(-n, V(parts[1]), first);
      const V lost = exact_fma(-n, V(parts[1]), first - rest);
      correction = exact_fma(-n, V(parts[2]), lost);
    }
#else
    const V first = fnma(n, V(parts[0]), size);
    const V take2 = n * V(parts[1]);
    const V second = first - take2;
    const V lost2 = (first - second) - take2;
    const V take3 = n * V(parts[2]);
    const V third = second - take3;
    const V lost3 = (second - third) - take3;
    const V lost = fnma(n, V(parts[3]), lost2 + lost3);
    rest = third + lost;
    correction = (third - rest) + lost;
#endif
  }

  GAIA_INLINE Mask<T> odd() const {
    return {(count & (typename Vec<T>::Integer{1} - Integers{})) != 0};
  }
  /// The sign bit where the multiple's second digit is set.
  GAIA_INLINE Vec<T> second_digit() const {
    return Vec<T>((typename Vec<T>::Raw)(count << (8 * sizeof(T) - 2)));
  }
};

/// sin and cos of an angle within pi / 4.
template <class T>
struct SineAndCosine {
  Vec<T> sine;
  Vec<T> cosine;

  GAIA_INLINE explicit SineAndCosine(const QuarterTurns<T>& turns) {
    using V = Vec<T>;
    const V one(T(1));
    if constexpr (sizeof(T) == 4) {
      // What one rounding of the angle does leaves 2 ulp.
      const V r = turns.rounded;
      const V square = r * r;
      sine = fma(r * square, polynomial(square, AngleNumbers<T>::sine), r);
      const V bend = fma(polynomial(square, AngleNumbers<T>::cosine), square, V(T(-0.5)));
      cosine = fma(bend, square, one);
    } else {
      const V r = turns.rest;
      const V square = r * r;
      const V half = V(T(0.5)) * square;
      const V near = one - half;
      sine =
          r + fma(turns.correction, near, square * r * polynomial(square, AngleNumbers<T>::sine));
      cosine = near + (((one - near) - half) +
                       fnma(r, turns.correction,
                            square * square * polynomial(square, AngleNumbers<T>::cosine)));
    }
  }
};

namespace library {
struct Sine {
  GAIA_INLINE float operator()(float x) const { return __builtin_sinf(x); }
  GAIA_INLINE double operator()(double x) const { return __builtin_sin(x); }
};
struct Cosine {
  GAIA_INLINE float operator()(float x) const { return __builtin_cosf(x); }
  GAIA_INLINE double operator()(double x) const { return __builtin_cos(x); }
};
struct Tangent {
  GAIA_INLINE float operator()(float x) const { return __builtin_tanf(x); }
  GAIA_INLINE double operator()(double x) const { return __builtin_tan(x); }
};
}  // namespace library

template <class T>
GAIA_INLINE Vec<T> sine_of(Vec<T> x) {
  const QuarterTurns<T> turns(abs(x));
  const SineAndCosine<T> both(turns);
  // The sign of zero, too, is that of x.
  return flip_sign(flip_sign(choose(turns.odd(), both.cosine, both.sine), turns.second_digit()), x);
}

template <class T>
GAIA_INLINE Vec<T> cosine_of(Vec<T> x) {
  QuarterTurns<T> turns(abs(x));
  const SineAndCosine<T> both(turns);
  const Vec<T> y = choose(turns.odd(), both.sine, both.cosine);
  // The second and the third of the four quarters are below 0.
  turns.count += 1;
  return flip_sign(y, turns.second_digit());
}

GAIA_INLINE Vec<double> tangent_of(Vec<double> x) {
  const QuarterTurns<double> turns(abs(x));
  const SineAndCosine<double> both(turns);
  const auto odd = turns.odd();
  const auto y = choose(odd, -both.cosine, both.sine) / choose(odd, both.sine, both.cosine);
  return flip_sign(y, x);
}

#if GAIA_HAS_FMA
/// By a polynomial of its own: the quotient of two rounded numbers would be 2 units wrong.
GAIA_INLINE Vec<float> tangent_of(Vec<float> x) {
  using V = Vec<float>;
  const QuarterTurns<float> turns(abs(x));
  const V r = turns.rest;
  const V square = r * r;
  const V rest = polynomial(square, AngleNumbers<float>::tangent) * square;
  const V tangent = r + fma(rest, r, fma(turns.correction, square, turns.correction));
  return flip_sign(choose(turns.odd(), V(-1.0F) / tangent, tangent), x);
}
#endif

/// y, but f(x) of the C library where x is large; the other lanes' results do not depend on it.
template <class T, class F>
GAIA_INLINE Vec<T> large_by_library(Vec<T> x, Vec<T> y, const F& f) {
  const Mask<T> is_large = abs(x) > Vec<T>(T(kMostAngle));
  return any(is_large) ? choose(is_large, rare_lanes(x, f), y) : y;
}

template <class T>
GAIA_INLINE Vec<T> sin(Vec<T> x) {
  const Vec<T> y = with_digits_to_spare(x, [](auto angle) { return sine_of(angle); });
  return large_by_library(x, y, library::Sine{});
}

template <class T>
GAIA_INLINE Vec<T> cos(Vec<T> x) {
  const Vec<T> y = with_digits_to_spare(x, [](auto angle) { return cosine_of(angle); });
  return large_by_library(x, y, library::Cosine{});
}

template <class T>
GAIA_INLINE Vec<T> tan(Vec<T> x) {
  const Vec<T> y = with_digits_to_spare(x, [](auto angle) { return tangent_of(angle); });
  return large_by_library(x, y, library::Tangent{});
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
