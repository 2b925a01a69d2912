// SPDX-License-Identifier: MIT
/// \file
/// log, log1p, log2 and log10 on Vec<T>, found by the formulas of src/ in place of those of
/// <cmath>.
///
/// Whole powers of 2 and of 10 have whole logarithms.  By tables where registers hold them; or else
/// the natural logarithm in float32 after S. L. Moshier's Cephes library (1984-2000), in float64
/// after fdlibm and FreeBSD's msun (Sun Microsystems, 1993).  Other polynomials were fitted at
/// Chebyshev's points.
#pragma once

#include <cstdint>
#include <limits>

#include "simd.h"
#include "simd_log_tables.h"
#include "simd_math.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

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

/// (2 atanh(s) - 2 s) / s^3 in s^2, for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1): log(1 + f) is
/// 2 atanh(f / (2 + f)).
constexpr double kAtanhSeries[] = {1.479819860511658591e-01, 1.531383769920937332e-01,
                                   1.818357216161805012e-01, 2.222219843214978396e-01,
                                   2.857142874366239149e-01, 3.999999999940941908e-01,
                                   6.666666666666735130e-01};

#if defined(__AVX512F__)
/// x = 2^k m of a normal x above 0, with the piece that m lies in.
template <class T>
struct LogParts {
  using Integers = typename Vec<T>::Integers;

  Vec<T> k;
  Vec<T> m;
  Integers piece;
  Integers exponent;  ///< k where a number has its exponent.

  GAIA_INLINE explicit LogParts(Vec<T> x) {
    constexpr int mantissa = ExpNumbers<T>::mantissa;
    constexpr int piece_digits = sizeof(T) == 4 ? 5 : 4;
    static_assert(kTableSize<T> == 1 << piece_digits);
    constexpr auto one = typename Vec<T>::Integer{1};
    constexpr auto all_but_mantissa = ~((one << mantissa) - one);
    // Counted from the start of the pieces, so that the exponent changes there.
    const Integers from_start = (Integers)x.raw - (Integers)Vec<T>(T(0.703125)).raw;
    exponent = from_start & (all_but_mantissa - Integers{});
    piece = from_start >> (mantissa - piece_digits);
    k = Vec<T>(__builtin_convertvector(from_start >> mantissa, typename Vec<T>::Raw));
    m = Vec<T>((typename Vec<T>::Raw)((Integers)x.raw - exponent));
  }
};

/// log(x + lost), where x is normal and above 0, and x + lost rounds to x.
template <class Base, class T, class... Lost>
GAIA_INLINE Vec<T> log_of_normal(Vec<T> x, Lost... lost) {
  using V = Vec<T>;
  using Integers = typename V::Integers;
  using Pieces = LogPieces<T, Base>;
  const LogParts<T> parts(x);
  const V inverse = looked_up(Pieces::inverse, parts.piece);
  V r = fma(parts.m, inverse, V(T(-1)));
  if constexpr (sizeof...(lost) != 0) {
    const V scale((typename V::Raw)((Integers)V(T(1)).raw - parts.exponent));
    r = fma((lost * ...) * scale, inverse, r);
  }
  const V high = fma(parts.k, V(Pieces::two_high), looked_up(Pieces::high, parts.piece));
  if constexpr (requires { Pieces::two_low; }) {
    V low = parts.k * V(Pieces::two_low);
    if constexpr (requires { Pieces::low; }) low += looked_up(Pieces::low, parts.piece);
    const V bend = fma(polynomial(r, Pieces::series), r * r, low);
    return high + fma(r, V(Pieces::slope), bend);
  } else {
    return fma(fma(polynomial(r, Pieces::series), r, V(Pieces::slope)), r, high);
  }
}

/// A logarithm of any x.
template <class Base, class T>
__attribute__((noinline, cold)) Vec<T> rare_log_by_table(Vec<T> x) {
  using V = Vec<T>;
  const V zero(T(0));
  // The smallest numbers are raised.
  const V lift(T(std::int64_t{1} << (ExpNumbers<T>::mantissa + 2)));
  const Mask<T> tiny = x < V(std::numeric_limits<T>::min());
  V y = log_of_normal<Base>(choose(tiny, x * lift, x));
  y = choose(tiny, y - log_of_normal<Base>(lift), y);
  y = choose(x == zero, -infinity<T>(), y);
  y = choose(x == infinity<T>(), x, y);
  return choose(x >= zero, y, not_a_number<T>());
}

/// The same, quickly where all lanes hold normal numbers above 0.
template <class Base, class T>
GAIA_INLINE Vec<T> log_by_table(Vec<T> x) {
  const Mask<T> usual = (x >= Vec<T>(std::numeric_limits<T>::min())) & (x < infinity<T>());
  return any(!usual) ? rare_log_by_table<Base>(x) : log_of_normal<Base>(x);
}

template <class T>
GAIA_INLINE Vec<T> log(Vec<T> x) {
  return log_by_table<Natural>(x);
}
template <class T>
GAIA_INLINE Vec<T> log2(Vec<T> x) {
  return log_by_table<Base2>(x);
}
template <class T>
GAIA_INLINE Vec<T> log10(Vec<T> x) {
  return log_by_table<Base10>(x);
}

/// log(1 + x).
template <class T>
GAIA_INLINE Vec<T> log1p(Vec<T> x) {
  using V = Vec<T>;
  const V one(T(1));
  const V u = one + x;
  const V lost = x - (u - one);
  // Beyond, the power of 2 by which `lost` is brought to the size of r is no number.
  const V most(sizeof(T) == 4 ? T(0x1p100) : T(0x1p1000));
  const Mask<T> usual = (u > V(T(0))) & (u < most);
  // The sign is that of x, also of zero.
  if (!any(!usual)) return with_sign(log_of_normal<Natural>(u, lost), x);
  const V y = log_of_normal<Natural>(choose(usual, u, one), choose(usual, lost, one));
  return choose(usual, with_sign(y, x), rare_log_by_table<Natural>(u));
}

/// log(1 + exp(-x)) of x >= 0, and of NaN.
template <class T>
GAIA_INLINE Vec<T> log1p_of_exp_of_negated(Vec<T> x) {
  using V = Vec<T>;
  const V one(T(1));
  const ExpParts<T> parts(max(V(ExpNumbers<T>::least), -x));  // NaN if x is
  const V e = scaled(parts.less_one + one, parts.n);
  const V u = one + e;
  return log_of_normal<Natural>(u, e - (u - one));
}
#else
/// The logarithm of what `Split` has taken apart, and what is small compared with it.
template <class... Small>
GAIA_INLINE Vec<float> log_of_parts(Vec<float> f, Vec<float> e, Small... small) {
  using V = Vec<float>;
  constexpr float series[] = {7.0376836292e-2F,  -1.1514610310e-1F, 1.1676998740e-1F,
                              -1.2420140846e-1F, 1.4249322787e-1F,  -1.6668057665e-1F,
                              2.0000714765e-1F,  -2.4999993993e-1F, 3.3333331174e-1F};
  const V square = f * f;
  const V higher = polynomial(f, series) * f * square;
  V y = (higher + ... + small);
  y = fma(e, V(-2.12194440e-4F), y);
  y = fnma(V(0.5F), square, y);
  return fma(e, V(0.693359375F), f + y);
}

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

/// ln(2) as a logarithm of another base: it is log(x) times `high` + `low`, and the logarithm of 2
/// is `two_high` + `two_low`.  Products of the high parts with their factors are exact.
template <class Base>
struct LogFactors;

template <>
struct LogFactors<Base2> {
  static constexpr double high = 1.44269504072144627571e+00;
  static constexpr double low = 1.67517131648865118353e-10;
  static constexpr double two_high = 1.0;
  static constexpr double two_low = 0.0;
};
template <>
struct LogFactors<Base10> {
  static constexpr double high = 4.34294481878168880939e-01;
  static constexpr double low = 2.50829467116452752298e-11;
  static constexpr double two_high = 3.01029995663611771306e-01;
  static constexpr double two_low = 3.69423907715893078616e-13;
};

template <class Base>
GAIA_INLINE Vec<double> log_of_parts_to(Vec<double> f, Vec<double> e) {
  using V = Vec<double>;
  using Factors = LogFactors<Base>;
  const V s = f / (V(2.0) + f);
  const V square = s * s;
  const V half = V(0.5) * f * f;
  constexpr std::int64_t upper_digits = ~std::int64_t{0xffffffff};
  const V upper((V::Raw)((V::Integers)(f - half).raw & (upper_digits - V::Integers{})));
  const V lower = ((f - upper) - half) + s * fma(polynomial(square, kAtanhSeries), square, half);
  const V high = upper * V(Factors::high);
  const V whole = e * V(Factors::two_high);
  const V y = whole + high;
  const V low =
      fma(e, V(Factors::two_low), fma(lower + upper, V(Factors::low), lower * V(Factors::high)));
  return y + (low + ((whole - y) + high));
}

GAIA_INLINE Vec<double> log2(Vec<double> x) {
  return logarithm(x, [](Vec<double> f, Vec<double> e) { return log_of_parts_to<Base2>(f, e); });
}
GAIA_INLINE Vec<double> log10(Vec<double> x) {
  return logarithm(x, [](Vec<double> f, Vec<double> e) { return log_of_parts_to<Base10>(f, e); });
}

/// log(1 + exp(-x)) of x >= 0, and of NaN.
template <class T>
GAIA_INLINE Vec<T> log1p_of_exp_of_negated(Vec<T> x) {
  return log1p(exp(-x));
}
#endif

}  // namespace gaia::cpu::GAIA_VECTOR_SET
