// SPDX-License-Identifier: MIT
/// \file
/// What moves between the lanes of Vec<T>: joining them all, interleaving, turning rows into
/// columns.
#pragma once

#include <cstdint>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// The lanes moved down by Distance, around the end.
template <int Distance, class T>
GAIA_INLINE Vec<T> rotate(Vec<T> x) {
  constexpr int lanes = Vec<T>::lanes;
#if defined(__clang__)
  typename Vec<T>::Raw result;
  for (int i = 0; i < lanes; ++i) result[i] = x.raw[(i + Distance) % lanes];
  return Vec<T>(result);
#else
  typename Vec<T>::Integers order;
  for (int i = 0; i < lanes; ++i) {
    order[i] = static_cast<typename Vec<T>::Integer>((i + Distance) % lanes);
  }
  return Vec<T>(__builtin_shuffle(x.raw, order));
#endif
}

/// All lanes joined by `join`, halves upon halves.
template <int Distance, class T, class F>
GAIA_INLINE Vec<T> join_lanes(Vec<T> x, const F& join) {
  if constexpr (Distance == 0) {
    return x;
  } else {
    return join_lanes<Distance / 2>(join(x, rotate<Distance>(x)), join);
  }
}
template <class T, class F>
GAIA_INLINE T join_lanes(Vec<T> x, const F& join) {
  return join_lanes<Vec<T>::lanes / 2>(x, join)[0];
}

template <class T>
GAIA_INLINE T sum(Vec<T> x) {
  return join_lanes(x, [](Vec<T> a, Vec<T> b) { return a + b; });
}

/// What lane after lane gives of a function of single numbers, for which there is no vector form.
template <class T, class F>
GAIA_INLINE Vec<T> lane_by_lane(Vec<T> x, const F& f) {
  T lane[Vec<T>::lanes];
  x.store(lane);
  for (int i = 0; i < Vec<T>::lanes; ++i) lane[i] = f(lane[i]);
  return Vec<T>::load(lane);
}

/// The same where it is seldom needed, and so not written out again and again.
template <class T, class F>
__attribute__((noinline, cold)) Vec<T> rare_lanes(Vec<T> x, F f) {
  return lane_by_lane(x, f);
}
template <class T, class F>
__attribute__((noinline, cold)) Vec<T> rare_lanes(Vec<T> a, Vec<T> b, F f) {
  T left[Vec<T>::lanes];
  T right[Vec<T>::lanes];
  a.store(left);
  b.store(right);
  for (int i = 0; i < Vec<T>::lanes; ++i) left[i] = f(left[i], right[i]);
  return Vec<T>::load(left);
}

/// a0 b0 a1 b1 ... of the lower or the upper halves of a and b.
template <bool Upper, class T>
GAIA_INLINE Vec<T> interleave(Vec<T> a, Vec<T> b) {
  constexpr int lanes = Vec<T>::lanes;
  typename Vec<T>::Integers order;
  for (int i = 0; i < lanes; ++i) {
    order[i] = static_cast<typename Vec<T>::Integer>(i / 2 + (Upper ? lanes / 2 : 0) +
                                                     (i % 2 == 0 ? 0 : lanes));
  }
#if defined(__clang__)
  typename Vec<T>::Raw result;
  for (int i = 0; i < lanes; ++i)
    result[i] = order[i] < lanes ? a.raw[order[i]] : b.raw[order[i] - lanes];
  return Vec<T>(result);
#else
  return Vec<T>(__builtin_shuffle(a.raw, b.raw, order));
#endif
}

/// Turns as many vectors as there are lanes from rows into columns.
template <class T>
GAIA_INLINE void transpose(Vec<T> (&rows)[Vec<T>::lanes]) {
  constexpr int lanes = Vec<T>::lanes;
#pragma GCC unroll 4
  for (int stage = 1; stage < lanes; stage *= 2) {
    Vec<T> turned[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes / 2; ++i) {
      turned[2 * i] = interleave<false>(rows[i], rows[i + lanes / 2]);
      turned[2 * i + 1] = interleave<true>(rows[i], rows[i + lanes / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) rows[i] = turned[i];
  }
}

/// The columns of x [count <= lanes, length] as vectors, y[k * y_stride + row], zeros past the end.
template <class T>
void transpose_rows(const T* x, std::int64_t x_stride, std::int64_t count, std::int64_t length,
                    T* y, std::int64_t y_stride) {
  constexpr int lanes = Vec<T>::lanes;
  std::int64_t k = 0;
  if (count == lanes) {
    for (; k + lanes <= length; k += lanes) {
      Vec<T> block[lanes];
      for (int i = 0; i < lanes; ++i) block[i] = Vec<T>::load(x + i * x_stride + k);
      transpose(block);
      for (int i = 0; i < lanes; ++i) block[i].store(y + (k + i) * y_stride);
    }
  }
  for (; k < length; ++k) {
    for (int i = 0; i < lanes; ++i) y[k * y_stride + i] = i < count ? x[i * x_stride + k] : T(0);
  }
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
