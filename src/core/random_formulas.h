// SPDX-License-Identifier: MIT
/// \file
/// From random bits to numbers, with operations that IEEE 754 rounds correctly (+, *, /, sqrt) and
/// in a fixed order, so that host and device make the same numbers bit for bit.
///
/// Translation units that make numbers with them are compiled without contraction into fused
/// multiply-adds (`-ffp-contract=off`; on the device the operations are spelled as intrinsics).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "host_device.h"

/// Before a loop of few turns, whose number is known: one after the other.
#if defined(__CUDA_ARCH__)
#define GAIA_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)  // whose host compiler gets what is left of a pragma
#define GAIA_UNROLL
#else
#define GAIA_UNROLL _Pragma("GCC unroll 16")
#endif

namespace gaia::random_formulas {

#ifdef __CUDA_ARCH__
__device__ inline float add(float a, float b) { return __fadd_rn(a, b); }
__device__ inline float multiply(float a, float b) { return __fmul_rn(a, b); }
__device__ inline float divide(float a, float b) { return __fdiv_rn(a, b); }
__device__ inline float root(float a) { return __fsqrt_rn(a); }
__device__ inline float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline double multiply(double a, double b) { return __dmul_rn(a, b); }
__device__ inline double divide(double a, double b) { return __ddiv_rn(a, b); }
__device__ inline double root(double a) { return __dsqrt_rn(a); }
#else
template <class T>
T add(T a, T b) {
  return a + b;
}
template <class T>
T multiply(T a, T b) {
  return a * b;
}
template <class T>
T divide(T a, T b) {
  return a / b;
}
template <class T>
T root(T a) {
  return std::sqrt(a);
}
inline float multiply_add(float a, float b, float c) { return std::fma(a, b, c); }
#endif

/// 53 random bits of two words.
GAIA_HOST_DEVICE inline std::uint64_t bits53(std::uint32_t high, std::uint32_t low) {
  return (static_cast<std::uint64_t>(high >> 5) << 26) | (low >> 6);
}

/// 64 random bits of two words, mapped evenly onto [0, count): the high half of their product with
/// `count`, or the bits themselves if that is 0, which stands for 2^64.
GAIA_HOST_DEVICE inline std::uint64_t below(std::uint32_t high, std::uint32_t low,
                                            std::uint64_t count) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32) | low;
  if (count == 0) return bits;
#ifdef __CUDA_ARCH__
  return __umul64hi(bits, count);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(bits) * count) >> 64);
#endif
}

/// Uniform in [0, 1): a multiple of 2^-24.
GAIA_HOST_DEVICE inline float uniform(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24f;
}

/// Uniform in [0, 1): a multiple of 2^-53.
GAIA_HOST_DEVICE inline double uniform(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>(bits53(high, low)) * 0x1p-53;
}

/// low + width u.  Rounding may carry the largest u up to the open end of the range; then it is
/// `last`, the number before that end.
template <class T>
GAIA_HOST_DEVICE inline T uniform_in_range(T u, T low, T width, T last) {
  const T x = add(low, multiply(width, u));
  const bool beyond = width < T(0) ? x < last : x > last;
  return beyond ? last : x;
}

/// Scalar type of N, float or double: N itself, or the type of its elements.
template <class N>
struct NumberOf {
  using type = N;
};

/// 2 (s + s^3/3 + s^5/5 + ...) = ln((1 + s) / (1 - s)), for |s| <= 0.172.
template <class N>
GAIA_HOST_DEVICE inline N log_series(N s) {
  using T = typename NumberOf<N>::type;
  constexpr int last = sizeof(T) == 4 ? 11 : 23;
  const N square = multiply(s, s);
  N sum = N(T(1) / T(last));
  GAIA_UNROLL
  for (int n = last - 2; n >= 1; n -= 2) sum = add(multiply(sum, square), N(T(1) / T(n)));
  return multiply(multiply(N(T(2)), s), sum);
}

/// ln(mantissa 2^exponent), for mantissas from the root of 1/2 to that of 2.
template <class N>
GAIA_HOST_DEVICE inline N log_of_parts(N exponent, N mantissa) {
  using T = typename NumberOf<N>::type;
  // ln 2 in two parts: the first times an exponent is exact.
  const T high = sizeof(T) == 4 ? T(0.693359375) : T(0x1.62e42feep-1);
  const T low = sizeof(T) == 4 ? T(-2.12194440e-4f) : T(0x1.a39ef35793c76p-33);
  const N s = divide(add(mantissa, N(T(-1))), add(mantissa, N(T(1))));
  return add(multiply(exponent, N(high)), add(log_series(s), multiply(exponent, N(low))));
}

/// Natural logarithm of a normal positive number, to about 2 units in the last place.
GAIA_HOST_DEVICE inline float log_positive(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  int exponent = static_cast<int>(bits >> 23) - 127;
  bits = (bits & 0x007fffffu) | 0x3f800000u;
  float mantissa = 0;
  std::memcpy(&mantissa, &bits, sizeof bits);
  if (mantissa > 1.41421356f) {
    mantissa = multiply(mantissa, 0.5f);
    ++exponent;
  }
  return log_of_parts(static_cast<float>(exponent), mantissa);
}

GAIA_HOST_DEVICE inline double log_positive(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull;
  double mantissa = 0;
  std::memcpy(&mantissa, &bits, sizeof bits);
  if (mantissa > 1.4142135623730951) {
    mantissa = multiply(mantissa, 0.5);
    ++exponent;
  }
  return log_of_parts(static_cast<double>(exponent), mantissa);
}

/// a / n as IEEE 754 rounds it, without a division where n is known to the compiler: the product
/// with 1 / n, and what that leaves of a, shared out.  That this is the quotient is no theorem for
/// every n: tests/core/random_formulas_test.cpp tries each n of sine_cosine with all mantissas.
/// Powers of two change nothing, as long as what is left of a is no subnormal number (|a| >
/// 2^-100); of a = -0 it is 0.
GAIA_HOST_DEVICE inline float quotient_by_reciprocal(float a, int n) {
  const float divisor = static_cast<float>(n);
  const float reciprocal = 1.0f / divisor;
  const float quotient = multiply(a, reciprocal);
  return multiply_add(multiply_add(-quotient, divisor, a), reciprocal, quotient);
}

/// a / n.  A GPU takes several times as long for a division as for what takes its place here.
template <class N>
GAIA_HOST_DEVICE inline N divide_by_count(N a, int n) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(N) == 4) return quotient_by_reciprocal(a, n);
#endif
  return divide(a, N(static_cast<typename NumberOf<N>::type>(n)));
}

/// sine and cosine of t quarter turns, |t| <= 1/2, by their Taylor series.
template <class N>
GAIA_HOST_DEVICE inline void sine_cosine(N t, N& sine, N& cosine) {
  using T = typename NumberOf<N>::type;
  constexpr int last = sizeof(T) == 4 ? 10 : 18;  // highest power in either series
  const N x = multiply(t, N(T(1.57079632679489661923)));
  const N minus_square = -multiply(x, x);
  const N one = N(T(1));
  sine = one;
  cosine = one;
  GAIA_UNROLL
  for (int n = last; n >= 2; n -= 2) {
    cosine = add(one, multiply(divide_by_count(minus_square, n * (n - 1)), cosine));
    sine = add(one, multiply(divide_by_count(minus_square, n * (n + 1)), sine));
  }
  sine = multiply(sine, x);
}

/// Rotates (1, 0) by `quarters` + t quarter turns.
template <class T>
GAIA_HOST_DEVICE inline void unit_vector(unsigned quarters, T t, T& x, T& y) {
  T sine = 0;
  T cosine = 0;
  sine_cosine(t, sine, cosine);
  const bool odd = (quarters & 1u) != 0;
  x = odd ? sine : cosine;
  y = odd ? cosine : sine;
  if (((quarters + 1) & 2u) != 0) x = -x;
  if ((quarters & 2u) != 0) y = -y;
}

/// Two independent standard normal numbers from two words.  Box & Muller (1958), Ann. Math.
/// Stat. 29.
GAIA_HOST_DEVICE inline void normal_pair(std::uint32_t a, std::uint32_t b, float& n0, float& n1) {
  const float u = add(multiply(static_cast<float>(a), 0x1p-32f), 0x1p-33f);  // (0, 1]
  const float radius = root(multiply(-2.0f, log_positive(u)));
  const unsigned quarters = (b + 0x20000000u) >> 30;
  const auto offset = static_cast<std::int32_t>(b - (quarters << 30));
  float x = 0;
  float y = 0;
  unit_vector(quarters, multiply(static_cast<float>(offset), 0x1p-30f), x, y);
  n0 = multiply(radius, x);
  n1 = multiply(radius, y);
}

/// Two independent standard normal numbers from four words.
GAIA_HOST_DEVICE inline void normal_pair(const std::uint32_t (&w)[4], double& n0, double& n1) {
  const double u = static_cast<double>(bits53(w[0], w[1]) + 1) * 0x1p-53;  // (0, 1]
  const double radius = root(multiply(-2.0, log_positive(u)));
  const std::uint64_t angle = bits53(w[2], w[3]) << 11;  // share of 2^64, which is a full turn
  const auto quarters = static_cast<unsigned>((angle + (1ull << 61)) >> 62) & 3u;
  const auto offset =
      static_cast<std::int64_t>(angle - (static_cast<std::uint64_t>(quarters) << 62));
  double x = 0;
  double y = 0;
  unit_vector(quarters, multiply(static_cast<double>(offset), 0x1p-62), x, y);
  n0 = multiply(radius, x);
  n1 = multiply(radius, y);
}

/// Numbers of type T that four words give.
template <class T>
constexpr int kPerBlock = sizeof(T) == 4 ? 4 : 2;

GAIA_HOST_DEVICE inline void uniforms(const std::uint32_t (&w)[4], float (&out)[4]) {
  for (int i = 0; i < 4; ++i) out[i] = uniform(w[i]);
}
GAIA_HOST_DEVICE inline void uniforms(const std::uint32_t (&w)[4], double (&out)[2]) {
  out[0] = uniform(w[0], w[1]);
  out[1] = uniform(w[2], w[3]);
}
GAIA_HOST_DEVICE inline void normals(const std::uint32_t (&w)[4], float (&out)[4]) {
  normal_pair(w[0], w[1], out[0], out[1]);
  normal_pair(w[2], w[3], out[2], out[3]);
}
GAIA_HOST_DEVICE inline void normals(const std::uint32_t (&w)[4], double (&out)[2]) {
  normal_pair(w, out[0], out[1]);
}

/// Normal numbers with mean `shift` and standard deviation `scale`.
template <class T>
struct NormalDraw {
  using Number = T;
  T shift;
  T scale;
  GAIA_HOST_DEVICE void operator()(const std::uint32_t (&w)[4], T (&out)[kPerBlock<T>]) const {
    normals(w, out);
    for (T& x : out) x = add(shift, multiply(scale, x));
  }
};

/// Uniform numbers in [shift, shift + scale), of which `last` is the one before the end.
template <class T>
struct UniformDraw {
  using Number = T;
  T shift;
  T scale;
  T last;
  GAIA_HOST_DEVICE void operator()(const std::uint32_t (&w)[4], T (&out)[kPerBlock<T>]) const {
    uniforms(w, out);
    for (T& x : out) x = uniform_in_range(x, shift, scale, last);
  }
};

/// Calls `f` with the draw of normal numbers of mean a and deviation b, or of uniform ones in
/// [a, b).
template <class T, class F>
void with_draw(bool normal, double a, double b, const F& f) {
  const T shift = static_cast<T>(a);
  if (normal) return f(NormalDraw<T>{shift, static_cast<T>(b)});
  f(UniformDraw<T>{shift, static_cast<T>(b - a), std::nextafter(static_cast<T>(b), shift)});
}

}  // namespace gaia::random_formulas
