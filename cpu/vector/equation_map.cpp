// SPDX-License-Identifier: MIT
#include "equation_map.h"

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// A single back_upto: its sums stay in registers on their way down the neurons.  Plain: nothing
/// keeps, and no known vector is added but the one that rides.
template <class T, int Ticks, int Vectors, bool Plain>
GAIA_FLATTEN void map_by_one(const EquationMap<T>& map, const T* from, std::int64_t from_stride,
                             T* to, std::int64_t to_stride, std::int64_t column) {
  using V = Vec<T>;
  const std::int64_t added = map.knowns - (map.last_rides ? 1 : 0);
  const T* const rider = map.known + added * map.known_stride + column;
  V sums[Ticks][Vectors];
#pragma GCC unroll 8
  for (int k = 0; k < Ticks; ++k) {
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      sums[k][v] = map.last_rides ? -V::load(rider + k * map.tick_stride + v * V::lanes) : V(T(0));
    }
  }
  const V share(map.share_after);
  const bool shrinks = Ticks > 1 && map.share_after != T(0);
  const T* pair = map.pairs;
  const std::int64_t to_to = Ticks == 1 ? map.neurons : 1;
  for (std::int64_t i = 0; i < map.neurons; ++i) {
    V m[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) m[v] = V::load(from + v * V::lanes);
#pragma GCC unroll 8
    for (int k = 0; k < Ticks; ++k) {
      const V from_factor(pair[2 * k]);
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) sums[k][v] = fma(from_factor, m[v], sums[k][v]);
      if constexpr (!Plain) {
        const T* const others = map.others + k * map.numbers * map.neurons + i;
        if (map.keeps) {
          const V keep(others[map.knowns * map.neurons]);
#pragma GCC unroll 8
          for (int v = 0; v < Vectors; ++v) m[v] = fma(keep, m[v], m[v]);
        }
        for (std::int64_t q = 0; q < added; ++q) {
          const V gain(others[q * map.neurons]);
          const T* const known = map.known + q * map.known_stride + k * map.tick_stride + column;
#pragma GCC unroll 8
          for (int v = 0; v < Vectors; ++v) m[v] = fma(gain, V::load(known + v * V::lanes), m[v]);
        }
      }
      const V to_factor(pair[2 * k + to_to]);
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) m[v] = fma(to_factor, sums[k][v], m[v]);
    }
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      if (shrinks) m[v] = fma(share, m[v], m[v]);
      m[v].store(to + v * V::lanes);
    }
    from += from_stride;
    to += to_stride;
    pair += Ticks == 1 ? 1 : 2 * Ticks;
  }
}

/// The same of a single tick.  Neighbouring neurons first sum up among themselves, since a sum that
/// goes from neuron to neuron has to wait for each.
template <class T, int Vectors>
GAIA_FLATTEN void map_single_tick(const EquationMap<T>& map, const T* from,
                                  std::int64_t from_stride, T* to, std::int64_t to_stride,
                                  std::int64_t column) {
  using V = Vec<T>;
  constexpr int kNeurons = 4;
  const T* const rider = map.known + column;
  V sums[Vectors];
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) {
    sums[v] = map.last_rides ? -V::load(rider + v * V::lanes) : V(T(0));
  }
  const T* const of_sum = map.pairs;
  const T* const by_sum = map.pairs + map.neurons;
  std::int64_t i = 0;
  for (; i + kNeurons <= map.neurons; i += kNeurons) {
    V m[kNeurons][Vectors];
    V part[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) part[v] = V(T(0));
#pragma GCC unroll 4
    for (int k = 0; k < kNeurons; ++k) {
      const V from_factor(of_sum[i + k]);
      const V to_factor(by_sum[i + k]);
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        m[k][v] = V::load(from + k * from_stride + v * V::lanes);
        part[v] = fma(from_factor, m[k][v], part[v]);
        m[k][v] = fma(to_factor, sums[v] + part[v], m[k][v]);
        m[k][v].store(to + k * to_stride + v * V::lanes);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) sums[v] += part[v];
    from += kNeurons * from_stride;
    to += kNeurons * to_stride;
  }
  for (; i < map.neurons; ++i, from += from_stride, to += to_stride) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      const V m = V::load(from + v * V::lanes);
      sums[v] = fma(V(of_sum[i]), m, sums[v]);
      fma(V(by_sum[i]), sums[v], m).store(to + v * V::lanes);
    }
  }
}

template <class T, int Vectors>
void map_by_one(const EquationMap<T>& map, bool is_single, const T* from, std::int64_t from_stride,
                T* to, std::int64_t to_stride, std::int64_t column) {
  const bool is_plain = !map.keeps && map.knowns == (map.last_rides ? 1 : 0);
  const auto go = [&](auto kernel) { kernel(map, from, from_stride, to, to_stride, column); };
  if (is_single) {
    is_plain ? go(map_single_tick<T, Vectors>) : go(map_by_one<T, 1, Vectors, false>);
  } else {
    is_plain ? go(map_by_one<T, kRows, Vectors, true>) : go(map_by_one<T, kRows, Vectors, false>);
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
      const V factor(map.pairs[2 * b * map.neurons + i]);
      sums[b] = fma(factor, V::load(from + i * from_stride), sums[b]);
    }
  }
  for (std::int64_t i = 0; i < map.neurons; ++i) {
    const auto pair = [&](std::int64_t place) { return V(map.pairs[place * map.neurons + i]); };
    const auto other = [&](std::int64_t place) { return V(map.others[place * map.neurons + i]); };
    const V m = V::load(from + i * from_stride);
    V next = m;
    if (map.keeps) next = fma(other(map.knowns), m, m);
    for (std::int64_t q = 0; q < map.knowns; ++q) {
      const V known = V::load(map.known + q * map.known_stride + column);
      next = fma(other(q), known, next);
    }
    for (std::int64_t b = 0; b < map.backs; ++b) {
      if (map.upto[b]) sums[b] = fma(pair(2 * b), m, sums[b]);
      next = fma(pair(2 * b + 1), sums[b], next);
    }
    next.store(to + i * to_stride);
  }
}

}  // namespace

template <class T>
EquationMapShape equation_map_shape() {
  return {.lanes = Vec<T>::lanes, .vectors = kVectors, .ticks = kRows};
}

template <class T>
void map_columns(const EquationMap<T>& map, std::int64_t ticks, std::int64_t vectors, const T* from,
                 std::int64_t from_stride, T* to, std::int64_t to_stride) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  if (map.backs != 1 || !map.upto[0]) {
    for (std::int64_t column = 0; column < vectors * lanes; column += lanes) {
      map_by_several(map, from + column, from_stride, to + column, to_stride, column);
    }
    return;
  }
  for (std::int64_t first = 0; first < vectors; first += kVectors) {
    const std::int64_t column = first * lanes;
    const auto go = [&](auto kernel) {
      kernel(map, ticks == 1, from + column, from_stride, to + column, to_stride, column);
    };
    switch (vectors - first) {
      case 1:
        go(map_by_one<T, 1>);
        break;
      case 2:
        go(map_by_one<T, 2>);
        break;
      default:
        go(map_by_one<T, kVectors>);
    }
  }
}

#define GAIA_INSTANTIATE(T)                                                              \
  template EquationMapShape equation_map_shape<T>();                                     \
  template void map_columns(const EquationMap<T>&, std::int64_t, std::int64_t, const T*, \
                            std::int64_t, T*, std::int64_t);
GAIA_INSTANTIATE(float)
GAIA_INSTANTIATE(double)
#undef GAIA_INSTANTIATE

}  // namespace gaia::cpu::GAIA_VECTOR_SET
