// SPDX-License-Identifier: MIT
/// \file
/// Plain loops, which the compiler turns into vectors of each instruction set, and where it does
/// not do well, vectors.
#include "reduce.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "loop.h"
#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

namespace {

/// Vectors of what R joins.
template <class R>
struct Joins {
  using Value = typename R::Value;
  static constexpr int lanes = GAIA_VECTOR_BYTES / static_cast<int>(sizeof(Value));
  typedef Value Raw __attribute__((vector_size(GAIA_VECTOR_BYTES)));
  typedef Value Anywhere
      __attribute__((vector_size(GAIA_VECTOR_BYTES), aligned(alignof(Value)), may_alias));
  using Unsigned = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
  typedef Unsigned Bits __attribute__((vector_size(GAIA_VECTOR_BYTES)));

  WideAdder add;

  static GAIA_INLINE Raw all_start() { return R::start() - Raw{}; }
  static GAIA_INLINE Raw load(const Value* p) { return Raw(*reinterpret_cast<const Anywhere*>(p)); }
  template <class T>
  static GAIA_INLINE Raw terms(const T* p) {
    if constexpr (std::is_same_v<T, Value>) {
      return load(p);
    } else {
      return widen(p).raw;
    }
  }
  /// Integers wrap.
  GAIA_INLINE Raw operator()(Raw a, Raw b) const {
    if constexpr (std::is_same_v<R, Largest<Value>>) {
      return a > b ? a : b;
    } else if constexpr (std::is_same_v<R, Smallest<Value>>) {
      return a < b ? a : b;
    } else if constexpr (std::is_same_v<R, Product<double>>) {
      return a * b;
    } else if constexpr (std::is_same_v<R, Sum<double>>) {
      return add(Vec<double>(a), Vec<double>(b)).raw;
    } else if constexpr (std::is_same_v<R, Product<Value>>) {
      return (Raw)((Bits)a * (Bits)b);
    } else {
      return (Raw)((Bits)a + (Bits)b);
    }
  }
};

/// Whether Joins takes elements of T: extremes of floating numbers have NaN to look for.
template <class R, class T>
constexpr bool kHasJoins = std::is_floating_point_v<T> ? std::is_same_v<R, Sum<double>> ||
                                                             std::is_same_v<R, Product<double>>
                                                       : std::is_same_v<typename R::Value, T>;

/// Four rows at a time by vectors, as far as there are as many; returns how many were joined.  Left
/// to itself the compiler widens the halves of longer vectors.
template <class R>
GAIA_INLINE std::int64_t join_widened_rows(const float* __restrict x, std::int64_t stride,
                                           std::int64_t rows, double* __restrict values,
                                           std::int64_t n) {
  using J = Joins<R>;
  constexpr std::int64_t together = 4;
  constexpr int vectors = 4;
  constexpr std::int64_t width = 1024;
  const std::int64_t whole = rows / together * together;
  const J join;
  // At the caller's address every second vector may lie across two lines of the cache.
  alignas(GAIA_VECTOR_BYTES) double kept[width];
  for (std::int64_t first = 0; first < n && whole > 0; first += width) {
    const std::int64_t columns = std::min(width, n - first);
    std::copy_n(values + first, columns, kept);
    for (std::int64_t r = 0; r < whole; r += together) {
      const float* const row = x + r * stride + first;
      std::int64_t i = 0;
      for (; i + vectors * J::lanes <= columns; i += vectors * J::lanes) {
        typename J::Raw sums[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) sums[v] = J::load(kept + i + v * J::lanes);
#pragma GCC unroll 8
        for (std::int64_t k = 0; k < together; ++k) {
#pragma GCC unroll 4
          for (int v = 0; v < vectors; ++v) {
            sums[v] = join(sums[v], J::terms(row + k * stride + i + v * J::lanes));
          }
        }
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          *reinterpret_cast<typename J::Anywhere*>(kept + i + v * J::lanes) = sums[v];
        }
      }
      for (; i < columns; ++i) {
        for (std::int64_t k = 0; k < together; ++k) {
          kept[i] = R::join(kept[i], static_cast<double>(row[k * stride + i]));
        }
      }
    }
    std::copy_n(kept, columns, values + first);
  }
  return whole;
}

GAIA_INLINE void join_bytes(const unsigned char* __restrict x, std::int64_t stride,
                            std::int64_t rows, unsigned char* __restrict sums, std::int64_t n) {
  std::int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    const unsigned char* const row = x + r * stride;
    for (std::int64_t i = 0; i < n; ++i) {
      const int low = row[i] + row[stride + i];
      const int high = row[2 * stride + i] + row[3 * stride + i];
      sums[i] = static_cast<unsigned char>(sums[i] + low + high);
    }
  }
  for (; r < rows; ++r) {
    for (std::int64_t i = 0; i < n; ++i) {
      sums[i] = static_cast<unsigned char>(sums[i] + x[r * stride + i]);
    }
  }
}

/// How many rows of `mask` [rows, n] hold in each column, added to counts.
GAIA_INLINE void add_counts(const bool* __restrict mask, std::int64_t stride, std::int64_t rows,
                            std::int64_t* __restrict counts, std::int64_t n) {
  constexpr std::int64_t width = 1024;
  constexpr std::int64_t most = 255;  // most that a byte can count
  const auto* const bytes = reinterpret_cast<const unsigned char*>(mask);
  for (std::int64_t first = 0; first < n; first += width) {
    const std::int64_t columns = std::min(width, n - first);
    for (std::int64_t r = 0; r < rows; r += most) {
      unsigned char some[width] = {};
      join_bytes(bytes + r * stride + first, stride, std::min(most, rows - r), some, columns);
      for (std::int64_t i = 0; i < columns; ++i) counts[first + i] += some[i];
    }
  }
}

}  // namespace

template <class R, class T>
GAIA_FLATTEN void join_rows(const T* __restrict x, std::int64_t stride, std::int64_t rows,
                            typename R::Value* __restrict values, std::int64_t n) {
  using Value = typename R::Value;
  if constexpr (std::is_same_v<T, bool> && std::is_same_v<R, Sum<std::int64_t>>) {
    return add_counts(x, stride, rows, values, n);
  }
  const auto term = [](T number) { return static_cast<Value>(read(number)); };
  std::int64_t r = 0;
  if constexpr (std::is_same_v<T, float> && std::is_same_v<Value, double>) {
    r = join_widened_rows<R>(x, stride, rows, values, n);
  }
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
  if constexpr (kHasJoins<R, T>) {
    using J = Joins<R>;
    const J join;
    std::int64_t i = 0;
    const auto joined = joined_vectors<J::lanes>(
        i, n, J::all_start(), [x](std::int64_t at) GAIA_INLINE_LAMBDA { return J::terms(x + at); },
        join, join);
    Value value = R::start();
    for (int lane = 0; lane < J::lanes; ++lane) value = R::join(value, joined[lane]);
    for (; i < n; ++i) value = R::join(value, static_cast<Value>(x[i]));
    return value;
  }
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

template <class T>
GAIA_FLATTEN void join_square_distances(const T* __restrict x, std::int64_t stride,
                                        std::int64_t rows, const double* __restrict centers,
                                        double* __restrict sums, std::int64_t n) {
  constexpr std::int64_t lanes = Vec<double>::lanes;
  constexpr std::int64_t together = 4;
  for (std::int64_t r = 0; r < rows; r += together) {
    const T* const row = x + r * stride;
    const std::int64_t count = std::min(together, rows - r);
    std::int64_t i = 0;
    if (count == together) {
      for (; i + lanes <= n; i += lanes) {
        const Vec<double> center = Vec<double>::load(centers + i);
        Vec<double> total = Vec<double>::load(sums + i);
#pragma GCC unroll 4
        for (std::int64_t k = 0; k < together; ++k) {
          const Vec<double> away = widen(row + k * stride + i) - center;
          total = fma(away, away, total);
        }
        total.store(sums + i);
      }
    }
    for (; i < n; ++i) {
      for (std::int64_t k = 0; k < count; ++k) {
        const double away = static_cast<double>(row[k * stride + i]) - centers[i];
        sums[i] += away * away;
      }
    }
  }
}

namespace {

template <class T, class F>
GAIA_INLINE void first_with(const T* x, std::int64_t stride, std::int64_t rows, std::int64_t n,
                            std::int64_t* where, const F& before) {
  // A row number as wide as T, so that both are chosen by one mask.
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

#define GAIA_JOIN(R, T)                                                                         \
  template void join_rows<R, T>(const T*, std::int64_t, std::int64_t, R::Value*, std::int64_t); \
  template R::Value join_row<R, T>(const T*, std::int64_t);
#define GAIA_JOINS(T)               \
  GAIA_JOIN(Sum<Carried<T>>, T)     \
  GAIA_JOIN(Product<Carried<T>>, T) \
  GAIA_JOIN(Largest<Read<T>>, T)    \
  GAIA_JOIN(Smallest<Read<T>>, T)
GAIA_JOINS(bool)
GAIA_JOINS(std::int32_t)
GAIA_JOINS(std::int64_t)
GAIA_JOINS(float)
GAIA_JOINS(double)
#undef GAIA_JOINS
#undef GAIA_JOIN

template void join_square_distances(const float*, std::int64_t, std::int64_t, const double*,
                                    double*, std::int64_t);
template void join_square_distances(const double*, std::int64_t, std::int64_t, const double*,
                                    double*, std::int64_t);

#define GAIA_FIRST(T)                                                                      \
  template void first_in_columns(const T*, std::int64_t, std::int64_t, std::int64_t, bool, \
                                 std::int64_t*);
GAIA_FIRST(std::int32_t)
GAIA_FIRST(std::int64_t)
GAIA_FIRST(float)
GAIA_FIRST(double)
#undef GAIA_FIRST

}  // namespace gaia::cpu::GAIA_VECTOR_SET
