// SPDX-License-Identifier: MIT
/// \file
/// Plain loops, which the compiler turns into vectors of each instruction set.
#include "reduce.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

template <class R, class T>
GAIA_FLATTEN void join_rows(const T* __restrict x, std::int64_t stride, std::int64_t rows,
                            typename R::Value* __restrict values, std::int64_t n) {
  using Value = typename R::Value;
  const auto term = [](T number) { return static_cast<Value>(read(number)); };
  std::int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    const T* const row = x + r * stride;
    for (std::int64_t i = 0; i < n; ++i) {
      Value value = R::join(values[i], term(row[i]));
      value = R::join(value, term(row[stride + i]));
      value = R::join(value, term(row[2 * stride + i]));
      values[i] = R::join(value, term(row[3 * stride + i]));
    }
  }
  for (; r < rows; ++r) {
    const T* const row = x + r * stride;
    for (std::int64_t i = 0; i < n; ++i) values[i] = R::join(values[i], term(row[i]));
  }
}

template <class R, class T>
GAIA_FLATTEN typename R::Value join_row(const T* x, std::int64_t n) {
  using Value = typename R::Value;
  constexpr std::int64_t lanes = 4 * GAIA_VECTOR_BYTES / static_cast<std::int64_t>(sizeof(Value));
  Value lane[lanes];
  std::fill_n(lane, lanes, R::start());
  join_rows<R, T>(x, lanes, n / lanes, lane, lanes);
  for (std::int64_t i = n / lanes * lanes; i < n; ++i) {
    lane[0] = R::join(lane[0], static_cast<Value>(read(x[i])));
  }
  for (std::int64_t width = lanes / 2; width > 0; width /= 2) {
    for (std::int64_t i = 0; i < width; ++i) lane[i] = R::join(lane[i], lane[i + width]);
  }
  return lane[0];
}

namespace {

template <class T, class F>
GAIA_INLINE void first_with(const T* x, std::int64_t stride, std::int64_t rows, std::int64_t n,
                            std::int64_t* where, const F& before) {
  // As wide as T, so that both are chosen by one mask.
  using Row = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  constexpr std::int64_t width = 1024;  // what is kept of as many fits the first cache
  T best[width];
  Row at[width];
  for (std::int64_t first = 0; first < n; first += width) {
    const std::int64_t columns = std::min(width, n - first);
    std::copy_n(x + first, columns, best);
    std::fill_n(at, columns, Row{0});
    for (std::int64_t r = 1; r < rows; ++r) {
      const T* const row = x + first + r * stride;
      for (std::int64_t i = 0; i < columns; ++i) {
        const T next = row[i];
        const T last = best[i];
        // NaN is not passed by anything, and passes what is none.
        const bool passes = before(next, last) || (next != next && last == last);
        best[i] = passes ? next : last;
        at[i] = passes ? static_cast<Row>(r) : at[i];
      }
    }
    for (std::int64_t i = 0; i < columns; ++i) where[first + i] = at[i];
  }
}

}  // namespace

template <class T>
GAIA_FLATTEN void first_in_columns(const T* x, std::int64_t stride, std::int64_t rows,
                                   std::int64_t n, bool largest, std::int64_t* where) {
  if (largest) {
    first_with(x, stride, rows, n, where, [](T a, T b) { return a > b; });
  } else {
    first_with(x, stride, rows, n, where, [](T a, T b) { return a < b; });
  }
}

#define GAIA_JOIN(R, T)                                                                       \
  template void join_rows<R, T>(const T*, std::int64_t, std::int64_t, R::Value*, std::int64_t); \
  template R::Value join_row<R, T>(const T*, std::int64_t);
#define GAIA_JOINS(T)                                                                          \
  GAIA_JOIN(Sum<Carried<T>>, T)                                                                \
  GAIA_JOIN(Product<Carried<T>>, T)                                                            \
  GAIA_JOIN(Largest<Read<T>>, T)                                                               \
  GAIA_JOIN(Smallest<Read<T>>, T)
GAIA_JOINS(bool)
GAIA_JOINS(std::int32_t)
GAIA_JOINS(std::int64_t)
GAIA_JOINS(float)
GAIA_JOINS(double)
#undef GAIA_JOINS
#undef GAIA_JOIN

#define GAIA_FIRST(T)                                                                      \
  template void first_in_columns(const T*, std::int64_t, std::int64_t, std::int64_t, bool, \
                                 std::int64_t*);
GAIA_FIRST(std::int32_t)
GAIA_FIRST(std::int64_t)
GAIA_FIRST(float)
GAIA_FIRST(double)
#undef GAIA_FIRST

}  // namespace gaia::cpu::GAIA_VECTOR_SET
