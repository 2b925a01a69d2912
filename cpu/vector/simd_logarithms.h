// SPDX-License-Identifier: MIT
/// \file
/// log, log1p, log2 and log10 on Vec<T>, found by the formulas of src/ in place of those of <cmath>.
///
/// Whole powers of 2 and of 10 have whole logarithms.  The natural logarithm in float32 after
/// S. L. Moshier's Cephes library (1984-2000); in float64 by tables where registers hold them, or
/// else after fdlibm and FreeBSD's msun (Sun Microsystems, 1993).  Other polynomials were fitted at
/// Chebyshev's points.
#pragma once

#include <cstdint>
#include <limits>

#include "simd.h"
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

/// The logarithm of what `Split` has taken apart, and what is small beside it.
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

#if defined(__AVX512F__)
/// Without a division, by tables that fill two registers: x = 2^k m, and r = m / middle - 1 by a
/// product with 1 / middle, middle being that of one of 16 pieces of m's range.  log(x) is then
/// k log(2) + log(middle) + log(1 + r) (Tang, 1990).  These are about 1 / m for m in the middle of
/// each of 16 pieces of [0.703125, 1.40625), and 1 itself for those around 1.
alignas(64) constexpr double kInverses[] = {
      1.391304347826087, 1.3333333333333333, 1.28, 1.2307692307692308, 1.1851851851851851,
      1.1428571428571428, 1.103448275862069, 1.0666666666666667, 1.032258064516129, 1.0,
      0.9411764705882353, 0.8888888888888888, 0.8421052631578947, 0.8, 0.7619047619047619,
      0.7272727272727273};

/// The bases of logarithms.
struct Natural;
struct Base2;
struct Base10;

/// The logarithms of the middles and of 2, in two parts: sums of the high ones with whole multiples
/// are exact.  (log(1 + r) / r - slope) / r as a polynomial in r, highest power first.
template <class Base>
struct LogPieces;

template <>
struct LogPieces<Natural> {
  static constexpr double slope = 1.0;
  static constexpr double two_high = 0.6931471805598903;
  static constexpr double two_low = 5.497923018708371e-14;
  static constexpr double series[] = {
      0.11054461454032663, -0.12518152171161395, 0.14285805410490432, -0.16666656339987618,
      0.19999999963304776, -0.2500000000188649, 0.3333333333333681, -0.49999999999999944};
  alignas(64) static constexpr double high[] = {
      -0.33024168687052224, -0.28768207245184385, -0.2468600779316148, -0.20763936477828793,
      -0.16989903679541385, -0.13353139262449076, -0.09844007281321865, -0.0645385211375924,
      -0.03174869831468641, 0.0, 0.06062462181648698, 0.11778303565643, 0.17185025692674571,
      0.22314355131425145, 0.2719337154835557, 0.31845373111855224};
  alignas(64) static constexpr double low[] = {
      -5.4584388914304586e-14, 6.297908504131321e-14, 8.897769688389272e-14,
      4.3369911444011306e-14, 1.643178756532876e-14, -3.1804225197847076e-14,
      -3.38573632414336e-14, 2.1239485832617812e-14, 1.061342829278565e-13, 0.0,
      -5.2122328603557226e-14, -4.649178632475319e-14, -8.643688492088945e-14,
      -4.175347699650321e-14, 8.609857887931859e-14, -1.765318688778829e-14};
};

template <>
struct LogPieces<Base2> {
  static constexpr double slope = 1.4426950408889634;
  static constexpr double two_high = 1.0;
  static constexpr double two_low = 0.0;
  static constexpr double series[] = {
      0.15948216719431121, -0.18059876058427957, 0.2061006062081927, -0.24044902449900737,
      0.2885390076483925, -0.3606737602494572, 0.48089834696303796, -0.7213475204444809};
  alignas(64) static constexpr double high[] = {
      -0.47643804394306244, -0.41503749927892386, -0.356143810225376, -0.29956028185893047,
      -0.2451124978365442, -0.1926450779424158, -0.14201900487250896, -0.09310940439149817,
      -0.045803689613194365, 0.0, 0.0874628412502716, 0.16992500144237965,
      0.24792751344352837, 0.3219280948874257, 0.39231742277866033, 0.4594316186373817};
  alignas(64) static constexpr double low[] = {
      7.535154862377412e-14, 8.012194124800777e-14, 1.006664528060356e-13,
      2.2546425693437238e-14, 1.2831976975600503e-14, 1.999748494246997e-14,
      8.109895608291058e-14, 1.6723281744199646e-14, 6.961378690854781e-14, 0.0,
      6.783365796585726e-14, -6.720987860981189e-14, 5.720492649791384e-14,
      -6.341868091945697e-14, 1.0003934052788237e-13, -8.447288438987944e-14};
};

template <>
struct LogPieces<Base10> {
  static constexpr double slope = 0.4342944819032518;
  static constexpr double two_high = 0.3010299956640665;
  static constexpr double two_low = -8.532344317057107e-14;
  static constexpr double series[] = {
      0.04800891609898583, -0.05436564411560606, 0.062042464593196144, -0.0723823688023447,
      0.08685889622128504, -0.10857362048400589, 0.14476482730109905, -0.2171472409516257};
  alignas(64) static constexpr double high[] = {
      -0.14342214230237005, -0.12493873660832833, -0.10720996964778351, -0.09017663034910584,
      -0.07378621416091846, -0.05799194697760868, -0.04275198042091688, -0.02802872360030051,
      -0.013788284485599434, 0.0, 0.026328938722372186, 0.051152522447409865,
      0.07463361829695714, 0.09691001300802782, 0.11809931207790214, 0.13830269816617147};
  alignas(64) static constexpr double low[] = {
      5.696298124441766e-14, 2.8397813827793453e-14, -8.486596470569766e-14,
      1.7799437131058865e-14, -1.7821806051836752e-16, -7.805370459108214e-14,
      -3.300304276318716e-14, 5.697638675627672e-14, -3.385081032441929e-14, 0.0,
      -2.3032308687011413e-14, -2.855192370164799e-14, -5.293343773429509e-14,
      2.85725458818173e-14, 9.237023332270849e-14, 1.0997589035860502e-13};
};

/// log(x + lost), where x is normal and above 0, and x + lost rounds to x.
template <class Base, class... Lost>
GAIA_INLINE Vec<double> log_of_normal(Vec<double> x, Lost... lost) {
  using V = Vec<double>;
  using Integers = V::Integers;
  using Pieces = LogPieces<Base>;
  constexpr int mantissa = ExpNumbers<double>::mantissa;
  constexpr std::int64_t all_but_mantissa = ~((std::int64_t{1} << mantissa) - 1);
  // Counted from the start of the pieces, so that the exponent changes there.
  const Integers from_start = (Integers)x.raw - (Integers)V(0.703125).raw;
  const Integers exponent = from_start & (all_but_mantissa - Integers{});
  const Integers piece = from_start >> (mantissa - 4);
  const V k(__builtin_convertvector(from_start >> mantissa, V::Raw));
  const V m((V::Raw)((Integers)x.raw - exponent));
  const V inverse = looked_up(kInverses, piece);
  V r = fma(m, inverse, V(-1.0));
  if constexpr (sizeof...(lost) != 0) {
    const V scale((V::Raw)((Integers)V(1.0).raw - exponent));
    r = fma((lost * ...) * scale, inverse, r);
  }
  const V high = fma(k, V(Pieces::two_high), looked_up(Pieces::high, piece));
  const V low = fma(k, V(Pieces::two_low), looked_up(Pieces::low, piece));
  const V bend = fma(polynomial(r, Pieces::series), r * r, low);
  return high + fma(r, V(Pieces::slope), bend);
}

/// A logarithm of any x.
template <class Base>
__attribute__((noinline, cold)) Vec<double> rare_log_by_table(Vec<double> x) {
  using V = Vec<double>;
  const V zero(0.0);
  // The smallest numbers are raised by 2^54.
  const Mask<double> tiny = x < V(std::numeric_limits<double>::min());
  V y = log_of_normal<Base>(choose(tiny, x * V(0x1p54), x));
  y = choose(tiny, y - log_of_normal<Base>(V(0x1p54)), y);
  y = choose(x == zero, -infinity<double>(), y);
  y = choose(x == infinity<double>(), x, y);
  return choose(x >= zero, y, not_a_number<double>());
}

/// The same, quickly where all lanes hold normal numbers above 0.
template <class Base>
GAIA_INLINE Vec<double> log_by_table(Vec<double> x) {
  using V = Vec<double>;
  const Mask<double> usual =
      (x >= V(std::numeric_limits<double>::min())) & (x < infinity<double>());
  return any(!usual) ? rare_log_by_table<Base>(x) : log_of_normal<Base>(x);
}

GAIA_INLINE Vec<double> log(Vec<double> x) { return log_by_table<Natural>(x); }
GAIA_INLINE Vec<double> log2(Vec<double> x) { return log_by_table<Base2>(x); }
GAIA_INLINE Vec<double> log10(Vec<double> x) { return log_by_table<Base10>(x); }

/// log(1 + x).
GAIA_INLINE Vec<double> log1p(Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const V u = one + x;
  const V lost = x - (u - one);
  const Mask<double> usual = (u > V(0.0)) & (u < V(0x1p1000));
  // The sign is that of x, also of zero.
  if (!any(!usual)) return with_sign(log_of_normal<Natural>(u, lost), x);
  const V y = log_of_normal<Natural>(choose(usual, u, one), choose(usual, lost, one));
  return choose(usual, with_sign(y, x), rare_log_by_table<Natural>(u));
}
#else
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
#endif

}  // namespace gaia::cpu::GAIA_VECTOR_SET
