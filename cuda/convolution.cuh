// SPDX-License-Identifier: MIT
/// \file
/// What windows on planes read, laid out as columns for matrix products, and the way back.
#pragma once

#include "../src/formulas/sliding.h"
#include "divide.cuh"
#include "grid.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Planes [planes, height, width] and columns [planes, kernel rows, kernel columns, positions].
template <class T>
struct ColumnsArguments {
  SlidingWindow window;
  std::int64_t planes;
  std::int64_t height;
  std::int64_t width;
  std::int64_t y_height;
  std::int64_t y_width;
  T* x;
  T* columns;
};

/// columns = what each position reads, 0 for padding.  A thread writes all taps of a position, so
/// that neighbours write and read neighbours.
template <class T>
__global__ void lay_out_columns_kernel(const __grid_constant__ ColumnsArguments<T> p) {
  const std::int64_t positions = p.y_height * p.y_width;
  const SlidingWindow& w = p.window;
  for (std::int64_t n = first_of_grid(); n < p.planes * positions; n += threads_of_grid()) {
    const Quotient at = divide(n, positions);
    const Quotient position = divide(at.rest, p.y_width);
    const T* const plane = p.x + at.quotient * p.height * p.width;
    T* to = p.columns + at.quotient * w.kernel[0] * w.kernel[1] * positions + at.rest;
    const std::int64_t top = position.quotient * w.stride[0] - w.padding[0];
    const std::int64_t left = position.rest * w.stride[1] - w.padding[1];
    for (std::int64_t a = 0; a < w.kernel[0]; ++a) {
      const std::int64_t row = top + a * w.dilation[0];
      const bool is_on_plane = row >= 0 && row < p.height;
      for (std::int64_t b = 0; b < w.kernel[1]; ++b) {
        const std::int64_t column = left + b * w.dilation[1];
        const bool is_inside = is_on_plane && column >= 0 && column < p.width;
        *to = is_inside ? plane[row * p.width + column] : T(0);
        to += positions;
      }
    }
  }
}

/// The output that reads `position` through tap `tap`, or -1.
__device__ inline std::int64_t reader(const SlidingWindow& window, std::size_t side,
                                      std::int64_t outputs, std::int64_t position,
                                      std::int64_t tap) {
  const std::int64_t offset = position + window.padding[side] - tap * window.dilation[side];
  if (offset < 0) return -1;
  const Quotient output = divide(offset, window.stride[side]);
  return output.rest == 0 && output.quotient < outputs ? output.quotient : -1;
}

/// x = the sum, tap by tap, of the columns' numbers that were read from there.
template <class T>
__global__ void collect_columns_kernel(const __grid_constant__ ColumnsArguments<T> p) {
  const std::int64_t positions = p.y_height * p.y_width;
  const std::int64_t size = p.height * p.width;
  const SlidingWindow& w = p.window;
  for (std::int64_t n = first_of_grid(); n < p.planes * size; n += threads_of_grid()) {
    const Quotient at = divide(n, size);
    const Quotient place = divide(at.rest, p.width);
    const T* const columns = p.columns + at.quotient * w.kernel[0] * w.kernel[1] * positions;
    T sum = T(0);
    for (std::int64_t a = 0; a < w.kernel[0]; ++a) {
      const std::int64_t i = reader(w, 0, p.y_height, place.quotient, a);
      if (i < 0) continue;
      for (std::int64_t b = 0; b < w.kernel[1]; ++b) {
        const std::int64_t j = reader(w, 1, p.y_width, place.rest, b);
        if (j < 0) continue;
        sum += columns[(a * w.kernel[1] + b) * positions + i * p.y_width + j];
      }
    }
    p.x[n] = sum;
  }
}

/// sums += the products of a number of images, one after the other, and, with the last of them,
/// target = sums.  products [images, count]; `is_first`: sums begin at 0.
template <class T>
__global__ void add_products_kernel(const T* products, std::int64_t images, std::int64_t count,
                                    bool is_first, double* sums, T* target) {
  for (std::int64_t i = first_of_grid(); i < count; i += threads_of_grid()) {
    double sum = is_first ? 0.0 : sums[i];
#pragma unroll 4
    for (std::int64_t image = 0; image < images; ++image) {
      sum += static_cast<double>(products[image * count + i]);
    }
    sums[i] = sum;
    if (target != nullptr) target[i] = static_cast<T>(sum);
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
