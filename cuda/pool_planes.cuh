// SPDX-License-Identifier: MIT
/// \file
/// Maxima and means of windows that slide over planes: one thread for each number that is written.
#pragma once

#include <limits>

#include "../src/formulas/sliding_reach.h"
#include "divide.cuh"
#include "grid.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

template <class T>
struct PlanePoolArguments {
  SlidingWindow window;
  bool count_padding;
  std::int64_t planes;
  std::int64_t height;
  std::int64_t width;
  std::int64_t y_height;
  std::int64_t y_width;
  T* x;
  T* y;
  std::int64_t* indices;

  __device__ Reach row_of(std::int64_t i) const { return reach(window, 0, height, i); }
  __device__ Reach column_of(std::int64_t j) const { return reach(window, 1, width, j); }
};

/// A position on one of many planes.
struct OnPlane {
  std::int64_t plane;
  std::int64_t row;
  std::int64_t column;
};

__device__ inline OnPlane on_plane(std::int64_t number, std::int64_t height, std::int64_t width) {
  const Quotient lines = divide(number, width);
  const Quotient planes = divide(lines.quotient, height);
  return {planes.quotient, planes.rest, lines.rest};
}

/// y = the largest of each window, indices = where it lies on its plane.
template <class T>
__global__ void max_planes_kernel(const __grid_constant__ PlanePoolArguments<T> p) {
  const std::int64_t count = p.planes * p.y_height * p.y_width;
  for (std::int64_t n = first_of_grid(); n < count; n += threads_of_grid()) {
    const OnPlane at = on_plane(n, p.y_height, p.y_width);
    const Reach row = p.row_of(at.row);
    const Reach column = p.column_of(at.column);
    const T* const x = p.x + at.plane * p.height * p.width;
    std::int64_t best_at = row.first * p.width + column.first;
    T best = -std::numeric_limits<T>::infinity();
    for (std::int64_t a = 0; a < row.taps; ++a) {
      const std::int64_t line = (row.first + a * row.step) * p.width + column.first;
      for (std::int64_t b = 0; b < column.taps; ++b) {
        const std::int64_t here = line + b * column.step;
        const T value = x[here];
        const bool is_larger = is_larger_or_nan(value, best);
        best = is_larger ? value : best;
        best_at = is_larger ? here : best_at;
      }
    }
    p.y[n] = best;
    p.indices[n] = best_at;
  }
}

/// y = the mean of each window.
template <class T>
__global__ void average_planes_kernel(const __grid_constant__ PlanePoolArguments<T> p) {
  const std::int64_t count = p.planes * p.y_height * p.y_width;
  for (std::int64_t n = first_of_grid(); n < count; n += threads_of_grid()) {
    const OnPlane at = on_plane(n, p.y_height, p.y_width);
    const Reach row = p.row_of(at.row);
    const Reach column = p.column_of(at.column);
    const T* const x = p.x + at.plane * p.height * p.width;
    double sum = 0.0;
    for (std::int64_t a = 0; a < row.taps; ++a) {
      const T* const line = x + (row.first + a * row.step) * p.width + column.first;
      for (std::int64_t b = 0; b < column.taps; ++b) {
        sum += static_cast<double>(line[b * column.step]);
      }
    }
    p.y[n] = static_cast<T>(sum / mean_divisor(row, column, p.count_padding));
  }
}

/// Outputs [first, end) read a position: windows of `kernel` positions side by side.
struct Readers {
  std::int64_t first;
  std::int64_t end;
};

__device__ inline Readers readers_of(const SlidingWindow& window, std::size_t side,
                                     std::int64_t outputs, std::int64_t position) {
  const std::int64_t padded = position + window.padding[side];
  const std::int64_t before = padded - window.kernel[side] + 1;
  const std::int64_t stride = window.stride[side];
  const std::int64_t end = padded / stride + 1;
  return {before <= 0 ? 0 : (before + stride - 1) / stride, end < outputs ? end : outputs};
}

/// x = the sum, in order, of what is y's share of each window that reads it.
template <class T>
__global__ void spread_planes_kernel(const __grid_constant__ PlanePoolArguments<T> p) {
  const std::int64_t count = p.planes * p.height * p.width;
  for (std::int64_t n = first_of_grid(); n < count; n += threads_of_grid()) {
    const OnPlane at = on_plane(n, p.height, p.width);
    const Readers rows = readers_of(p.window, 0, p.y_height, at.row);
    const Readers columns = readers_of(p.window, 1, p.y_width, at.column);
    const T* const y = p.y + at.plane * p.y_height * p.y_width;
    T sum = T(0);
    for (std::int64_t i = rows.first; i < rows.end; ++i) {
      const Reach row = p.row_of(i);
      for (std::int64_t j = columns.first; j < columns.end; ++j) {
        sum += static_cast<T>(static_cast<double>(y[i * p.y_width + j]) /
                              mean_divisor(row, p.column_of(j), p.count_padding));
      }
    }
    p.x[n] = sum;
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
