// SPDX-License-Identifier: MIT
#include <algorithm>
#include <type_traits>

#include "plastic.h"
#include "plastic_tiles.h"
#include "simd.h"
#include "simd_lanes.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

template <class T>
std::int64_t gram_workspace(std::int64_t inputs) {
  return inputs * Vec<T>::lanes;
}

template <class T>
void gram(const T* x, std::int64_t x_stride, std::int64_t rows, std::int64_t inputs, T* y,
          std::int64_t y_stride, T* workspace) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  for (std::int64_t s = 0; s < rows; s += lanes) {
    const std::int64_t count = std::min(lanes, rows - s);
    transpose_rows(x + s * x_stride, x_stride, count, inputs, workspace, lanes);
    const auto tile = [&]<int Rows>(std::int64_t t, std::integral_constant<int, Rows>) {
      Vec<T> sums[Rows];
      for (Vec<T>& sum : sums) sum = Vec<T>(T(0));
      add_products_to<T, Rows, 1>(x + t * x_stride, x_stride, workspace, inputs, sums);
      for (int m = 0; m < Rows; ++m) sums[m].store(y + (t + m) * y_stride + s, count);
    };
    // Twice the rows of other tiles: with a single vector the sums would wait for each other.
    std::int64_t t = s;
    for (; t + 2 * kRows <= rows; t += 2 * kRows) {
      tile(t, std::integral_constant<int, 2 * kRows>{});
    }
    for (; t + kRows <= rows; t += kRows) tile(t, std::integral_constant<int, kRows>{});
    for (; t < rows; ++t) tile(t, std::integral_constant<int, 1>{});
  }
}

template void gram(const float*, std::int64_t, std::int64_t, std::int64_t, float*, std::int64_t,
                   float*);
template void gram(const double*, std::int64_t, std::int64_t, std::int64_t, double*, std::int64_t,
                   double*);
template std::int64_t gram_workspace<float>(std::int64_t);
template std::int64_t gram_workspace<double>(std::int64_t);

}  // namespace gaia::cpu::GAIA_VECTOR_SET
