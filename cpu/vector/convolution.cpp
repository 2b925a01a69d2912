// SPDX-License-Identifier: MIT
/// \file
/// Tiles of outputs by vectors of positions, all sums in registers, as those of gemm.cpp.
#include "convolution.h"

#include <algorithm>
#include <cstdint>

#include "simd.h"
#include "tile.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// A vector of positions of a row.
template <class T>
struct Piece {
  const T* x;
  T* y;
  std::int64_t count;
};

/// Outputs [output, output + kRows), or those that there are, at `Vectors` pieces, for the taps
/// [k, k + length).
template <class T, int Vectors>
__attribute__((noinline)) void convolve_tile(const PlaneRows<T>& of, const Piece<T>* pieces,
                                             std::int64_t output, std::int64_t k,
                                             std::int64_t length, bool accumulate) {
  const std::int64_t outputs = std::min<std::int64_t>(kRows, of.outputs - output);
  const T* left[kRows];
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m) {  // outputs past the end repeat the last
    left[m] = of.weights + (output + std::min<std::int64_t>(m, outputs - 1)) * of.taps + k;
  }
  const T* from[Vectors];
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v) from[v] = pieces[v].x;
  Vec<T> sums[kRows][Vectors];
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) sums[m][v] = Vec<T>(T(0));
  }
  const std::int64_t* const offsets = of.offsets + k;
  for (std::int64_t i = 0; i < length; ++i) {
    Vec<T> right[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) right[v] = Vec<T>::load(from[v] + offsets[i]);
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const Vec<T> weight(left[m][i]);
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) sums[m][v] = fma(weight, right[v], sums[m][v]);
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m) {
    if (m >= outputs) break;
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      T* const to = pieces[v].y + (output + m) * of.y_plane;
      if (pieces[v].count == Vec<T>::lanes) {
        if (accumulate) sums[m][v] += Vec<T>::load(to);
        sums[m][v].store(to);
      } else {
        if (accumulate) sums[m][v] += Vec<T>::load(to, pieces[v].count);
        sums[m][v].store(to, pieces[v].count);
      }
    }
  }
}

}  // namespace

template <class T>
std::int64_t positions_together() {
  return Vec<T>::lanes;
}

template <class T>
void convolve_rows(const PlaneRows<T>& of, bool accumulate) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  const std::int64_t per_row = (of.width + lanes - 1) / lanes;
  const std::int64_t all = of.rows * per_row;
  for (std::int64_t k = 0; k < of.taps; k += kDepth<T>) {
    const std::int64_t length = std::min(kDepth<T>, of.taps - k);
    for (std::int64_t first = 0; first < all; first += kVectors) {
      const std::int64_t count = std::min<std::int64_t>(kVectors, all - first);
      Piece<T> pieces[kVectors];
      for (std::int64_t v = 0; v < count; ++v) {
        const std::int64_t row = (first + v) / per_row;
        const std::int64_t column = (first + v) % per_row * lanes;
        pieces[v] = {of.x + row * of.x_row + column, of.y + row * of.width + column,
                     std::min(lanes, of.width - column)};
      }
      for (std::int64_t output = 0; output < of.outputs; output += kRows) {
        const bool adds = accumulate || k > 0;
        if (count == 1) {
          convolve_tile<T, 1>(of, pieces, output, k, length, adds);
        } else if (count == 2) {
          convolve_tile<T, 2>(of, pieces, output, k, length, adds);
        } else {
          convolve_tile<T, kVectors>(of, pieces, output, k, length, adds);
        }
      }
    }
  }
}

#define GAIA_CONVOLUTION(T)                      \
  template std::int64_t positions_together<T>(); \
  template void convolve_rows(const PlaneRows<T>&, bool);
GAIA_CONVOLUTION(float)
GAIA_CONVOLUTION(double)
#undef GAIA_CONVOLUTION

}  // namespace gaia::cpu::GAIA_VECTOR_SET
