// SPDX-License-Identifier: MIT
/// \file
/// The loop in which products spend their time: a few vectors by a few numbers, all sums in
/// registers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// Length of a block along the summed axis: a panel of that length fits the first cache, and a sum
/// of blocks' sums has far fewer roundings than one chain.
template <class T>
constexpr std::int64_t kDepth = sizeof(T) == 4 ? 384 : 192;

/// What is brought into the second cache meanwhile: `step` numbers for every one along the summed
/// axis, at most a line.  A burst of it would stop the loop.
template <class T>
struct Ahead {
  const T* data;
  std::int64_t step;
};

/// Nothing is.
struct NothingAhead {};

/// sums[m][v] += a[m * row_stride + k * column_stride] b[k * b_stride + v] over k < length, in
/// vectors v.
template <class T, int Rows, int Vectors, class A = NothingAhead>
GAIA_INLINE void add_products(const T* a, std::int64_t row_stride, std::int64_t column_stride,
                              const T* b, std::int64_t b_stride, std::int64_t length,
                              Vec<T> (&sums)[Rows][Vectors], A ahead = {}) {
  for (std::int64_t k = 0; k < length; ++k) {
    if constexpr (!std::is_same_v<A, NothingAhead>) {
      __builtin_prefetch(ahead.data, 0, 2);
      ahead.data += ahead.step;
    }
    Vec<T> right[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) right[v] = Vec<T>::load(b + v * Vec<T>::lanes);
#pragma GCC unroll 16
    for (int m = 0; m < Rows; ++m) {
      const Vec<T> left(a[m * row_stride]);
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) sums[m][v] = fma(left, right[v], sums[m][v]);
    }
    a += column_stride;
    b += b_stride;
  }
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
