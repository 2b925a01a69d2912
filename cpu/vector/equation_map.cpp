// SPDX-License-Identifier: MIT
#include "equation_map.h"

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// A single back_upto: its sums stay in registers on their way down the neurons.
template <class T, int Ticks, int Vectors>
GAIA_FLATTEN void map_by_one(const EquationMap<T>& map, const T* from, std::int64_t from_stride,
                             T* to, std::int64_t to_stride) {
  using V = Vec<T>;
  const std::int64_t added = map.knowns - (map.last_rides ? 1 : 0);
  const T* const rider = map.known + added * map.known_stride;
  V sums[Ticks][Vectors];
#pragma GCC unroll 8
  for (int k = 0; k < Ticks; ++k) {
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      sums[k][v] = map.last_rides ? -V::load(rider + k * map.tick_stride + v * V::lanes) : V(T(0));
    }
  }
  const T* of_sum[Ticks];
  const T* by_sum[Ticks];
  for (int k = 0; k < Ticks; ++k) {
    of_sum[k] = map.factors + k * map.numbers * map.neurons;
    by_sum[k] = of_sum[k] + map.neurons;
  }
  for (std::int64_t i = 0; i < map.neurons; ++i) {
    V m[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) m[v] = V::load(from + v * V::lanes);
#pragma GCC unroll 8
    for (int k = 0; k < Ticks; ++k) {
      const V from_factor(of_sum[k][i]);
      const V to_factor(by_sum[k][i]);
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) sums[k][v] = fma(from_factor, m[v], sums[k][v]);
      if (map.keeps) {
        const V keep(by_sum[k][(1 + map.knowns) * map.neurons + i]);
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) m[v] = fma(keep, m[v], m[v]);
      }
      for (std::int64_t q = 0; q < added; ++q) {
        const V gain(by_sum[k][(1 + q) * map.neurons + i]);
        const T* const known = map.known + q * map.known_stride + k * map.tick_stride;
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) m[v] = fma(gain, V::load(known + v * V::lanes), m[v]);
      }
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) m[v] = fma(to_factor, sums[k][v], m[v]);
    }
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) m[v].store(to + v * V::lanes);
    from += from_stride;
    to += to_stride;
  }
}

/// Any backs, a vector of columns and a tick at a time.
template <class T>
GAIA_FLATTEN void map_by_several(const EquationMap<T>& map, const T* from, std::int64_t from_stride,
                                 T* to, std::int64_t to_stride, std::int64_t column) {
  using V = Vec<T>;
  constexpr std::int64_t kMostBacks = 64;  // backs that a text may have
  V sums[kMostBacks];
  for (std::int64_t b = 0; b < map.backs; ++b) {
    sums[b] = V(T(0));
    if (map.upto[b]) continue;
    for (std::int64_t i = 0; i < map.neurons; ++i) {
      const V factor(map.factors[2 * b * map.neurons + i]);
      sums[b] = fma(factor, V::load(from + i * from_stride), sums[b]);
    }
  }
  for (std::int64_t i = 0; i < map.neurons; ++i) {
    const auto number = [&](std::int64_t place) { return V(map.factors[place * map.neurons + i]); };
    const V m = V::load(from + i * from_stride);
    V next = m;
    if (map.keeps) next = fma(number(2 * map.backs + map.knowns), m, m);
    for (std::int64_t q = 0; q < map.knowns; ++q) {
      const V known = V::load(map.known + q * map.known_stride + column);
      next = fma(number(2 * map.backs + q), known, next);
    }
    for (std::int64_t b = 0; b < map.backs; ++b) {
      if (map.upto[b]) sums[b] = fma(number(2 * b), m, sums[b]);
      next = fma(number(2 * b + 1), sums[b], next);
    }
    next.store(to + i * to_stride);
  }
}

}  // namespace

template <class T>
std::int64_t equation_map_lanes() {
  return Vec<T>::lanes;
}

template <class T>
void map_columns(const EquationMap<T>& map, std::int64_t ticks, std::int64_t vectors, const T* from,
                 std::int64_t from_stride, T* to, std::int64_t to_stride) {
  if (map.backs != 1 || !map.upto[0]) {
    for (std::int64_t column = 0; column < vectors * Vec<T>::lanes; column += Vec<T>::lanes) {
      map_by_several(map, from + column, from_stride, to + column, to_stride, column);
    }
    return;
  }
  const auto go = [&](auto kernel) { kernel(map, from, from_stride, to, to_stride); };
  const bool single = ticks == 1;
  switch (vectors) {
    case 1:
      return go(single ? map_by_one<T, 1, 1> : map_by_one<T, kMapTicks, 1>);
    case 2:
      return go(single ? map_by_one<T, 1, 2> : map_by_one<T, kMapTicks, 2>);
    case 3:
      return go(single ? map_by_one<T, 1, 3> : map_by_one<T, kMapTicks, 3>);
    default:
      return go(single ? map_by_one<T, 1, 4> : map_by_one<T, kMapTicks, 4>);
  }
}

#define GAIA_INSTANTIATE(T)                                                              \
  template std::int64_t equation_map_lanes<T>();                                         \
  template void map_columns(const EquationMap<T>&, std::int64_t, std::int64_t, const T*, \
                            std::int64_t, T*, std::int64_t);
GAIA_INSTANTIATE(float)
GAIA_INSTANTIATE(double)
#undef GAIA_INSTANTIATE

}  // namespace gaia::cpu::GAIA_VECTOR_SET
