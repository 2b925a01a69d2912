// SPDX-License-Identifier: MIT
/// \file
/// Layer normalisation by rows, with sums in double.
#pragma once

#include "column_sums.cuh"
#include "row_group.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

template <class T>
struct LayerNormArguments {
  double epsilon;
  std::int64_t rows;
  std::int64_t n;
  const T* x;
  const T* weight;  ///< May be null, and so may be bias.
  const T* bias;
  T* y;
  T* mean;
  T* rstd;
};

/// y = (x - mean) rstd weight + bias.  Passes over a row, which stays in the cache.
template <class T, int Group>
__global__ void layer_norm_kernel(const __grid_constant__ LayerNormArguments<T> p) {
  using Row = RowGroup<Group>;
  for (std::int64_t row = Row::first_row(); row < p.rows; row += Row::row_step()) {
    const T* const x = p.x + row * p.n;
    const auto count = static_cast<double>(p.n);
    double mean = Row::sum(p.n, [x](std::int64_t i) { return static_cast<double>(x[i]); }) / count;
    if constexpr (std::is_same_v<T, double>) {  // take back what rounding left
      mean += Row::sum(p.n, [x, mean](std::int64_t i) { return x[i] - mean; }) / count;
    }
    const double squares = Row::sum(p.n, [x, mean](std::int64_t i) {
      const double away = static_cast<double>(x[i]) - mean;
      return away * away;
    });
    const double rstd = 1.0 / std::sqrt(squares / count + p.epsilon);
    if (Row::lane() == 0) {
      p.mean[row] = static_cast<T>(mean);
      p.rstd[row] = static_cast<T>(rstd);
    }
#pragma unroll 4
    for (std::int64_t i = Row::lane(); i < p.n; i += Group) {
      T y = static_cast<T>((static_cast<double>(x[i]) - mean) * rstd);
      if (p.weight != nullptr) y *= p.weight[i];
      if (p.bias != nullptr) y += p.bias[i];
      p.y[row * p.n + i] = y;
    }
  }
}

template <class T>
struct LayerNormBackwardArguments {
  std::int64_t rows;
  std::int64_t n;
  const T* dy;
  const T* x;
  const T* weight;  ///< May be null.
  const T* mean;
  const T* rstd;
  T* dx;

  /// h = (x - mean) rstd.
  __device__ T normalised(std::int64_t row, std::int64_t i) const {
    return (x[row * n + i] - mean[row]) * rstd[row];
  }
  /// g = dy weight.
  __device__ T slope(std::int64_t row, std::int64_t i) const {
    const T slope = dy[row * n + i];
    return weight == nullptr ? slope : slope * weight[i];
  }
};

/// dx = rstd (g - mean(g) - h mean(g h)).
template <class T, int Group>
__global__ void layer_norm_backward_kernel(
    const __grid_constant__ LayerNormBackwardArguments<T> p) {
  using Row = RowGroup<Group>;
  for (std::int64_t row = Row::first_row(); row < p.rows; row += Row::row_step()) {
    const auto count = static_cast<double>(p.n);
    const T level = static_cast<T>(
        Row::sum(p.n, [&p, row](std::int64_t i) { return static_cast<double>(p.slope(row, i)); }) /
        count);
    const T tilt = static_cast<T>(Row::sum(p.n,
                                           [&p, row](std::int64_t i) {
                                             return static_cast<double>(p.slope(row, i)) *
                                                    static_cast<double>(p.normalised(row, i));
                                           }) /
                                  count);
    const T rstd = p.rstd[row];
#pragma unroll 4
    for (std::int64_t i = Row::lane(); i < p.n; i += Group) {
      p.dx[row * p.n + i] = rstd * (p.slope(row, i) - level - p.normalised(row, i) * tilt);
    }
  }
}

/// What a row adds to dweight and to dbias: dy h and dy.
template <class T>
struct LayerNormTerms {
  LayerNormBackwardArguments<T> p;
  __device__ Terms<2> operator()(std::int64_t row, std::int64_t i) const {
    const auto dy = static_cast<double>(p.dy[row * p.n + i]);
    return {{dy * static_cast<double>(p.normalised(row, i)), dy}};
  }
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
