// SPDX-License-Identifier: MIT
/// \file
/// The two products of a panel of plastic neurons: drives, and new weights.  Neither is inlined,
/// since their sums need every register.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd.h"
#include "tile.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// sums [Rows, Vectors] += a b, with b [length, Vectors x lanes].
template <class T, int Rows, int Vectors>
__attribute__((noinline)) void add_products_to(const T* a, std::int64_t stride, const T* b,
                                               std::int64_t length, Vec<T>* sums) {
  constexpr int width = Vectors * Vec<T>::lanes;
  for (std::int64_t first = 0; first < length; first += kDepth<T>) {
    Vec<T> tile[Rows][Vectors];
#pragma GCC unroll 16
    for (int m = 0; m < Rows; ++m) {
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) tile[m][v] = Vec<T>(T(0));
    }
    add_products(a + first, stride, 1, b + first * width, width,
                 std::min(kDepth<T>, length - first), tile);
#pragma GCC unroll 16
    for (int m = 0; m < Rows; ++m) {
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) sums[m * Vectors + v] += tile[m][v];
    }
  }
}

/// What a stretch of samples makes of weights V: V where they stay, - change V + gains^T samples.
template <class T, int Vectors>
struct WeightUpdate {
  const T* samples;  ///< [count, inputs]
  std::int64_t sample_stride;
  std::int64_t count;
  const T* gains;        ///< [count, width]
  const Mask<T>* stay;   ///< [Vectors]; not read where all stay
  const Vec<T>* change;  ///< [Vectors]
  Vec<T>* squares;       ///< [Vectors] or null: the squares of the new weights are added here
};

/// Does that for the weights [Rows, width] of the inputs from k on.  Whether all stay is known to
/// the compiler: what it saves is a hundredth of the time.
template <bool AllStay, class T, int Rows, int Vectors>
__attribute__((noinline)) void update_weights(const WeightUpdate<T, Vectors>& update,
                                              std::int64_t k, T* weights) {
  constexpr int lanes = Vec<T>::lanes;
  constexpr int width = Vectors * lanes;
  Vec<T> sums[Rows][Vectors];
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v) {
    const Mask<T> stay = AllStay ? Mask<T>{} : update.stay[v];
    const Vec<T> change = update.change[v];
#pragma GCC unroll 16
    for (int m = 0; m < Rows; ++m) {
      const Vec<T> before = Vec<T>::load(weights + m * width + v * lanes);
      sums[m][v] = fnma(change, before, AllStay ? before : choose(stay, before, Vec<T>(T(0))));
    }
  }
  const T* x = update.samples + k;
  const T* gains = update.gains;
  for (std::int64_t s = 0; s < update.count; ++s, x += update.sample_stride, gains += width) {
    // The next stretch begins with its drives, and rows are too short for the processor to guess.
    __builtin_prefetch(x + update.count * update.sample_stride);
    Vec<T> gain[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) gain[v] = Vec<T>::load(gains + v * lanes);
#pragma GCC unroll 16
    for (int m = 0; m < Rows; ++m) {
      const Vec<T> left(x[m]);
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) sums[m][v] = fma(left, gain[v], sums[m][v]);
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < Rows; ++m) {
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) sums[m][v].store(weights + m * width + v * lanes);
  }
  if (update.squares == nullptr) return;
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v) {
    Vec<T> square = update.squares[v];
#pragma GCC unroll 16
    for (int m = 0; m < Rows; ++m) square = fma(sums[m][v], sums[m][v], square);
    update.squares[v] = square;
  }
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
