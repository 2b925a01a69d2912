// SPDX-License-Identifier: MIT
#include "ceiling_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

template <class T>
struct Vector {
  typedef T Type __attribute__((vector_size(GAIA_VECTOR_BYTES)));
};

// Enough chains to hide the latency of two units, and with both operands no more than the registers
// hold.
#if GAIA_VECTOR_BYTES == 64 || !defined(__x86_64__)
constexpr int kChains = 24;
#else
constexpr int kChains = 14;
#endif

template <class T>
double multiply_adds(std::int64_t rounds, double* sum) {
  using Numbers = typename Vector<T>::Type;
  constexpr int lanes = GAIA_VECTOR_BYTES / static_cast<int>(sizeof(T));
  Numbers chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = static_cast<T>(0.1 * i) - Numbers{};
  // The chains tend to 1: no overflow, nothing denormal.
  const Numbers a = static_cast<T>(0.999) - Numbers{};
  const Numbers b = static_cast<T>(0.001) - Numbers{};
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
    for (int i = 0; i < kChains; ++i) chain[i] = chain[i] * a + b;
  }
  Numbers together = chain[0];
  for (int i = 1; i < kChains; ++i) together += chain[i];
  *sum = 0.0;
  for (int i = 0; i < lanes; ++i) *sum += static_cast<double>(together[i]);
  return 2.0 * kChains * lanes * static_cast<double>(rounds);
}

typedef double Eight __attribute__((vector_size(64), aligned(64), may_alias));

inline void store_streaming(double* to, Eight x) {
#if defined(__AVX512F__)
  _mm512_stream_pd(to, (__m512d)x);
#elif defined(__AVX__)
  _mm256_stream_pd(to, __builtin_shufflevector(x, x, 0, 1, 2, 3));
  _mm256_stream_pd(to + 4, __builtin_shufflevector(x, x, 4, 5, 6, 7));
#elif defined(__SSE2__)
  _mm_stream_pd(to, __builtin_shufflevector(x, x, 0, 1));
  _mm_stream_pd(to + 2, __builtin_shufflevector(x, x, 2, 3));
  _mm_stream_pd(to + 4, __builtin_shufflevector(x, x, 4, 5));
  _mm_stream_pd(to + 6, __builtin_shufflevector(x, x, 6, 7));
#else
  *reinterpret_cast<Eight*>(to) = x;
#endif
}

inline void finish_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

inline Eight load(const double* from) { return *reinterpret_cast<const Eight*>(from); }

}  // namespace

double multiply_adds_float(std::int64_t rounds, double* sum) {
  return multiply_adds<float>(rounds, sum);
}

double multiply_adds_double(std::int64_t rounds, double* sum) {
  return multiply_adds<double>(rounds, sum);
}

void copy(double* y, const double* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 8) *reinterpret_cast<Eight*>(y + i) = load(x + i);
}

void copy_streaming(double* y, const double* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 8) store_streaming(y + i, load(x + i));
  finish_streaming();
}

void triad(double* y, const double* x, const double* z, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 8) {
    *reinterpret_cast<Eight*>(y + i) = load(x + i) + 3.0 * load(z + i);
  }
}

void triad_streaming(double* y, const double* x, const double* z, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 8) store_streaming(y + i, load(x + i) + 3.0 * load(z + i));
  finish_streaming();
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
