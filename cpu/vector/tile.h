// SPDX-License-Identifier: MIT
/// \file
/// The loop in which products spend their time: a few vectors by a few numbers, all sums in
/// registers.
#pragma once

#include <cstdint>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// Length of a block along the summed axis: a panel of that length fits the first cache, and a sum
/// of blocks' sums has far fewer roundings than one chain.
template <class T>
constexpr std::int64_t kDepth = sizeof(T) == 4 ? 384 : 192;

// What is done on the way through a product, with the rows of b that it reads.

/// Brings something else into the second cache: `step` numbers for every one along the summed axis,
/// at most a line.  A burst of it would stop the loop.
template <class T>
struct Fetching {
  const T* data;
  std::int64_t step;

  template <int Vectors>
  GAIA_INLINE void take(const T*, std::int64_t, const Vec<T> (&)[Vectors]) {
    __builtin_prefetch(data, 0, 2);
    data += step;
  }
};

/// Copies the rows one behind the other, and asks for those to come: they lie apart.
template <class T>
struct Packing {
  T* to;

  template <int Vectors>
  GAIA_INLINE void take(const T* b, std::int64_t b_stride, const Vec<T> (&row)[Vectors]) {
    constexpr int ahead = 8;  // rows
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      __builtin_prefetch(b + ahead * b_stride + v * Vec<T>::lanes);
      row[v].store(to + v * Vec<T>::lanes);
    }
    to += Vectors * Vec<T>::lanes;
  }
};

struct Nothing {
  template <class T, int Vectors>
  GAIA_INLINE void take(const T*, std::int64_t, const Vec<T> (&)[Vectors]) {}
};

/// sums[m][v] += a[m * row_stride + k * column_stride] b[k * b_stride + v] over k < length, in
/// vectors v.
template <class T, int Rows, int Vectors, class Meanwhile = Nothing>
GAIA_INLINE void add_products(const T* a, std::int64_t row_stride, std::int64_t column_stride,
                              const T* b, std::int64_t b_stride, std::int64_t length,
                              Vec<T> (&sums)[Rows][Vectors], Meanwhile meanwhile = {}) {
  for (std::int64_t k = 0; k < length; ++k) {
    Vec<T> right[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) right[v] = Vec<T>::load(b + v * Vec<T>::lanes);
    meanwhile.take(b, b_stride, right);
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
