// SPDX-License-Identifier: MIT
/// \file
/// A lane is a window.  The last vector of a row begins early enough to be whole.
#include "pool.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// Every second number.  None beyond the last of them is read.
template <class T>
GAIA_INLINE Vec<T> load_every_second(const T* p) {
  constexpr int lanes = Vec<T>::lanes;
  const Vec<T> low = Vec<T>::load(p);
  const Vec<T> high = Vec<T>::load(p + lanes - 1);
#if defined(__clang__)
  typename Vec<T>::Raw result;
  for (int i = 0; i < lanes; ++i)
    result[i] = i < lanes / 2 ? low.raw[2 * i] : high.raw[2 * i + 1 - lanes];
  return Vec<T>(result);
#else
  typename Vec<T>::Integers order;
  for (int i = 0; i < lanes; ++i) {
    order[i] = static_cast<typename Vec<T>::Integer>(2 * i + (i < lanes / 2 ? 0 : 1));
  }
  return Vec<T>(__builtin_shuffle(low.raw, high.raw, order));
#endif
}

/// The same tap of windows that lie Stride apart, or `stride` where that is 0.
template <int Stride, class T>
GAIA_INLINE Vec<T> load_tap(const T* p, std::int64_t stride) {
  if constexpr (Stride == 1) {
    return Vec<T>::load(p);
  } else if constexpr (Stride == 2) {
    return load_every_second(p);
  } else {
    T lane[Vec<T>::lanes];
    for (int i = 0; i < Vec<T>::lanes; ++i) lane[i] = p[i * stride];
    return Vec<T>::load(lane);
  }
}

/// Calls f(vector, offset in x) for every tap of the windows that begin at x, in order.
template <int Stride, class T, class F>
GAIA_INLINE void for_each_tap(const T* x, const WindowRow& row, const F& f) {
  for (std::int64_t i = 0; i < row.rows; ++i) {
    for (std::int64_t j = 0; j < row.columns; ++j) {
      const std::int64_t offset = i * row.row_step + j * row.column_step;
      f(load_tap<Stride>(x + offset, row.stride), offset);
    }
  }
}

/// Calls f(number of a vector's first window) so that all n are taken.
template <class T, class F>
GAIA_INLINE void for_each_whole_vector(std::int64_t n, const F& f) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  for (std::int64_t w = 0; w < n; w += lanes) f(std::min(w, n - lanes));
}

/// first + i stride + offsets[i] in lane after lane.
template <class T>
GAIA_INLINE void store_places(typename Vec<T>::Integers offsets, std::int64_t first,
                              std::int64_t stride, std::int64_t* places) {
  typedef std::int64_t Places __attribute__((vector_size(GAIA_VECTOR_BYTES)));
  typedef typename Vec<T>::Integer Part
      __attribute__((vector_size(GAIA_VECTOR_BYTES / 8 * sizeof(T))));
  constexpr int count = GAIA_VECTOR_BYTES / 8;
  Places start;
  for (int i = 0; i < count; ++i) start[i] = i;
  start = start * stride + first;
  Part parts[Vec<T>::lanes / count];
  std::memcpy(parts, &offsets, sizeof offsets);
  for (const Part& part : parts) {
    const Places all = __builtin_convertvector(part, Places) + start;
    std::memcpy(places, &all, sizeof all);
    places += count;
    start += count * stride;
  }
}

template <int Stride, class T>
void max_of_windows_apart(const T* x, const WindowRow& row, std::int64_t n, T* y,
                          std::int64_t* indices) {
  using Integers = typename Vec<T>::Integers;
  using Integer = typename Vec<T>::Integer;
  for_each_whole_vector<T>(n, [&](std::int64_t w) {
    const std::int64_t first = row.first + w * row.stride;
    Vec<T> best(-std::numeric_limits<T>::infinity());
    Integers best_at{};
    for_each_tap<Stride>(x + first, row, [&](Vec<T> value, std::int64_t offset) {
      const Mask<T> is_larger = (value > best) | (value != value);
      best = choose(is_larger, value, best);
      best_at = is_larger.raw ? static_cast<Integer>(offset) - Integers{} : best_at;
    });
    best.store(y + w);
    store_places<T>(best_at, first, row.stride, indices + w);
  });
}

GAIA_INLINE void add(Vec<float> x, Vec<double> (&sums)[2]) {
  Vec<double> lower;
  Vec<double> upper;
  widen(x, lower, upper);
  sums[0] += lower;
  sums[1] += upper;
}
GAIA_INLINE void add(Vec<double> x, Vec<double> (&sums)[1]) { sums[0] += x; }

template <class F>
GAIA_INLINE Vec<float> in_type(Vec<double> (&sums)[2], const F& f) {
  return narrow(f(sums[0]), f(sums[1]));
}
template <class F>
GAIA_INLINE Vec<double> in_type(Vec<double> (&sums)[1], const F& f) {
  return f(sums[0]);
}

template <int Stride, class T>
void mean_of_windows_apart(const T* x, const WindowRow& row, std::int64_t n, double divisor, T* y) {
  // A power of two has an exact inverse, and multiplying takes a fraction of the time.
  const auto whole = static_cast<std::uint64_t>(divisor);
  const bool multiplies = std::has_single_bit(whole);
  const Vec<double> factor(multiplies ? 1.0 / divisor : divisor);
  for_each_whole_vector<T>(n, [&](std::int64_t w) {
    Vec<double> sums[sizeof(double) / sizeof(T)];
    for (Vec<double>& sum : sums) sum = Vec<double>(0.0);
    for_each_tap<Stride>(x + row.first + w * row.stride, row,
                         [&](Vec<T> value, std::int64_t) { add(value, sums); });
    const Vec<T> mean = multiplies ? in_type(sums, [&](Vec<double> sum) { return sum * factor; })
                                   : in_type(sums, [&](Vec<double> sum) { return sum / factor; });
    mean.store(y + w);
  });
}

}  // namespace

template <class T>
std::int64_t windows_together() {
  return Vec<T>::lanes;
}

template <class T>
GAIA_FLATTEN void max_of_windows(const T* x, const WindowRow& row, std::int64_t n, T* y,
                                 std::int64_t* indices) {
  if (row.stride == 1) return max_of_windows_apart<1>(x, row, n, y, indices);
  if (row.stride == 2) return max_of_windows_apart<2>(x, row, n, y, indices);
  max_of_windows_apart<0>(x, row, n, y, indices);
}

template <class T>
GAIA_FLATTEN void mean_of_windows(const T* x, const WindowRow& row, std::int64_t n, double divisor,
                                  T* y) {
  if (row.stride == 1) return mean_of_windows_apart<1>(x, row, n, divisor, y);
  if (row.stride == 2) return mean_of_windows_apart<2>(x, row, n, divisor, y);
  mean_of_windows_apart<0>(x, row, n, divisor, y);
}

#define GAIA_WINDOWS(T)                                                                      \
  template std::int64_t windows_together<T>();                                               \
  template void max_of_windows(const T*, const WindowRow&, std::int64_t, T*, std::int64_t*); \
  template void mean_of_windows(const T*, const WindowRow&, std::int64_t, double, T*);
GAIA_WINDOWS(float)
GAIA_WINDOWS(double)
#undef GAIA_WINDOWS

}  // namespace gaia::cpu::GAIA_VECTOR_SET
