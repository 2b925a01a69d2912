// SPDX-License-Identifier: MIT
#include "ceiling_kernels.h"

#include "../cpu/vector/simd.h"
#include "../cpu/vector/simd_lanes.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

// Enough chains to hide the latency of two units, and with both operands no more than the registers
// hold.
#if GAIA_VECTOR_BYTES == 64 || !defined(__x86_64__)
constexpr int kChains = 24;
#else
constexpr int kChains = 14;
#endif

template <class T>
double multiply_adds(std::int64_t rounds, double* sum) {
  // The chains tend to 1: no overflow, nothing denormal.  A start that the compiler knew could let
  // it leave a chain out, as one at 1 stays there.
  Vec<T> chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = Vec<T>(*sum + 0.1 * i);
  const Vec<T> a(0.999);
  const Vec<T> b(0.001);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
    for (int i = 0; i < kChains; ++i) chain[i] = fma(chain[i], a, b);
  }
  Vec<T> together = chain[0];
  for (int i = 1; i < kChains; ++i) together += chain[i];
  *sum = static_cast<double>(cpu::GAIA_VECTOR_SET::sum(together));
  return 2.0 * kChains * Vec<T>::lanes * static_cast<double>(rounds);
}

/// Stores past the caches; `to` is aligned.
GAIA_INLINE void store_streaming(double* to, Vec<double> x) {
#if defined(__AVX512F__)
  _mm512_stream_pd(to, (__m512d)x.raw);
#elif defined(__AVX__)
  _mm256_stream_pd(to, (__m256d)x.raw);
#elif defined(__SSE2__)
  _mm_stream_pd(to, (__m128d)x.raw);
#else
  x.store(to);
#endif
}

void finish_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

constexpr std::int64_t kLanes = Vec<double>::lanes;

GAIA_INLINE Vec<double> triad_of(const double* x, const double* z) {
  return fma(Vec<double>(3.0), Vec<double>::load(z), Vec<double>::load(x));
}

}  // namespace

double multiply_adds_float(std::int64_t rounds, double* sum) {
  return multiply_adds<float>(rounds, sum);
}

double multiply_adds_double(std::int64_t rounds, double* sum) {
  return multiply_adds<double>(rounds, sum);
}

void copy(double* y, const double* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += kLanes) Vec<double>::load(x + i).store(y + i);
}

void copy_streaming(double* y, const double* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += kLanes) store_streaming(y + i, Vec<double>::load(x + i));
  finish_streaming();
}

void triad(double* y, const double* x, const double* z, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += kLanes) triad_of(x + i, z + i).store(y + i);
}

void triad_streaming(double* y, const double* x, const double* z, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += kLanes) store_streaming(y + i, triad_of(x + i, z + i));
  finish_streaming();
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
