// SPDX-License-Identifier: MIT
/// \file
/// The two products of a panel of plastic neurons with samples that are mostly zeros, as spikes
/// are: what is zero is passed over.
///
/// Each sum has the same numbers in the same order as under all inputs (plastic_tiles.h), without
/// products with zero, which add nothing: the bits are the same unless a weight, or a coefficient,
/// is infinite or NaN.
#pragma once

#include <algorithm>
#include <cstdint>

#include "equation_panel.h"
#include "simd.h"
#include "tile.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// to [samples, Vectors x lanes] = products of the samples [first, last) with packed weights.
template <class T, int Vectors>
void multiply_events(const SampleEvents<T>& events, std::int64_t first, std::int64_t last,
                     const T* packed, T* to) {
  using V = Vec<T>;
  constexpr int width = Vectors * V::lanes;
  for (std::int64_t s = first; s < last; ++s, to += width) {
    V sums[Vectors];
    V part[Vectors];
    for (int v = 0; v < Vectors; ++v) sums[v] = part[v] = V(T(0));
    std::int64_t block_end = kDepth<T>;
    for (std::int64_t e = events.starts[s]; e < events.starts[s + 1]; ++e) {
      const std::int64_t input = events.inputs[e];
      if (input >= block_end) {
        for (int v = 0; v < Vectors; ++v) {
          sums[v] += part[v];
          part[v] = V(T(0));
        }
        block_end = (input / kDepth<T> + 1) * kDepth<T>;
      }
      const V value(events.values[e]);
      for (int v = 0; v < Vectors; ++v) {
        part[v] = fma(value, V::load(packed + input * width + v * V::lanes), part[v]);
      }
    }
    for (int v = 0; v < Vectors; ++v) (sums[v] + part[v]).store(to + v * V::lanes);
  }
}

/// packed += coefficients^T samples, of the samples [first, last).
template <class T, int Vectors>
void add_events(const SampleEvents<T>& events, std::int64_t first, std::int64_t last,
                const T* coefficients, T* packed) {
  using V = Vec<T>;
  constexpr int width = Vectors * V::lanes;
  for (std::int64_t s = first; s < last; ++s, coefficients += width) {
    V gains[Vectors];
    for (int v = 0; v < Vectors; ++v) gains[v] = V::load(coefficients + v * V::lanes);
    for (std::int64_t e = events.starts[s]; e < events.starts[s + 1]; ++e) {
      T* const row = packed + events.inputs[e] * width;
      const V value(events.values[e]);
      for (int v = 0; v < Vectors; ++v) {
        fma(value, gains[v], V::load(row + v * V::lanes)).store(row + v * V::lanes);
      }
    }
  }
}

/// Whether any of the Vectors x lanes coefficients of a sample is not zero.
template <class T, int Vectors>
GAIA_INLINE bool asks_for_something(const T* coefficients) {
  using V = Vec<T>;
  auto some = V::load(coefficients) != V(T(0));
  for (int v = 1; v < Vectors; ++v) some = some | (V::load(coefficients + v * V::lanes) != V(T(0)));
  return any(some);
}

/// Calls f(first, count) for the samples that something is asked for, neighbours together; a few
/// between them in vain take less time than another way through the weights.
template <class T, int Vectors, class F>
GAIA_INLINE void by_asked_samples(const T* coefficients, std::int64_t count, const F& f) {
  constexpr std::int64_t width = Vectors * Vec<T>::lanes;
  constexpr std::int64_t kGap = 3;
  std::int64_t first = -1;
  std::int64_t last = -1;  // sample of the run so far that is asked for
  for (std::int64_t s = 0; s < count; ++s) {
    if (!asks_for_something<T, Vectors>(coefficients + s * width)) continue;
    if (first >= 0 && s - last > kGap) {
      f(first, last + 1 - first);
      first = s;
    }
    if (first < 0) first = s;
    last = s;
  }
  if (first >= 0) f(first, last + 1 - first);
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
