// SPDX-License-Identifier: MIT
/// \file
/// Convolution and pooling of planes by plain loops, in double, as their definitions read.
#pragma once

#include <cmath>
#include <limits>

#include "../../src/formulas/sliding.h"
#include "values.h"

namespace gaia::test {

/// Calls f(n, o, i, j, c, a, b, row, column) for every product of a convolution: output (n, o, i,
/// j) reads x (n, c of its group, row, column) through weight (o, c, a, b).
template <class F>
void for_each_product(const Shape& x, const Shape& w, const Shape& y, const SlidingWindow& window,
                      std::int64_t groups, const F& f) {
  for_each_index({y[0], y[1], y[2], y[3], w[1], w[2], w[3]}, [&](const Dims& at) {
    const std::int64_t row =
        at[2] * window.stride[0] - window.padding[0] + at[5] * window.dilation[0];
    const std::int64_t column =
        at[3] * window.stride[1] - window.padding[1] + at[6] * window.dilation[1];
    if (row < 0 || row >= x[2] || column < 0 || column >= x[3]) return;
    const std::int64_t group = at[1] / (y[1] / groups);
    f(Dims{at[0], group * w[1] + at[4], row, column}, Dims{at[1], at[4], at[5], at[6]},
      Dims{at[0], at[1], at[2], at[3]});
  });
}

inline Values convolve(const Values& x, const Values& w, const Values* bias, const Shape& y_shape,
                       const SlidingWindow& window, std::int64_t groups) {
  Values y(y_shape);
  if (bias != nullptr) {
    for_each_index(y_shape, [&](const Dims& at) { y[at] = (*bias)[{at[1]}]; });
  }
  for_each_product(
      x.shape, w.shape, y_shape, window, groups,
      [&](const Dims& from, const Dims& weight, const Dims& to) { y[to] += x[from] * w[weight]; });
  return y;
}

inline Values input_gradient(const Shape& x_shape, const Values& w, const Values& dy,
                             const SlidingWindow& window, std::int64_t groups) {
  Values dx(x_shape);
  for_each_product(x_shape, w.shape, dy.shape, window, groups,
                   [&](const Dims& from, const Dims& weight, const Dims& to) {
                     dx[from] += dy[to] * w[weight];
                   });
  return dx;
}

inline Values weight_gradient(const Values& x, const Shape& w_shape, const Values& dy,
                              const SlidingWindow& window, std::int64_t groups) {
  Values dw(w_shape);
  for_each_product(x.shape, w_shape, dy.shape, window, groups,
                   [&](const Dims& from, const Dims& weight, const Dims& to) {
                     dw[weight] += dy[to] * x[from];
                   });
  return dw;
}

/// Calls f(row, column) for the taps of window (i, j) that lie in a plane of this shape.
template <class F>
void for_each_tap(const SlidingWindow& window, std::int64_t i, std::int64_t j, std::int64_t rows,
                  std::int64_t columns, const F& f) {
  for (std::int64_t a = 0; a < window.kernel[0]; ++a) {
    for (std::int64_t b = 0; b < window.kernel[1]; ++b) {
      const std::int64_t row = i * window.stride[0] - window.padding[0] + a * window.dilation[0];
      const std::int64_t column = j * window.stride[1] - window.padding[1] + b * window.dilation[1];
      if (row >= 0 && row < rows && column >= 0 && column < columns) f(row, column);
    }
  }
}

/// The maxima, and where they are in their planes.
inline Values max_pool(const Values& x, const Shape& y_shape, const SlidingWindow& window,
                       Values& indices) {
  Values y(y_shape);
  indices = Values(y_shape);
  for_each_index(y_shape, [&](const Dims& at) {
    bool any = false;
    for_each_tap(window, at[2], at[3], x.shape[2], x.shape[3],
                 [&](std::int64_t row, std::int64_t column) {
                   const double value = x[{at[0], at[1], row, column}];
                   if (any && !(value > y[at]) && !std::isnan(value)) return;
                   any = true;
                   y[at] = value;
                   indices[at] = static_cast<double>(row * x.shape[3] + column);
                 });
  });
  return y;
}

/// Number that a mean divides by: taps in the plane, or in the plane with its padding.
inline double mean_divisor(const SlidingWindow& window, const Shape& x, const Dims& at,
                           bool count_padding) {
  SlidingWindow shifted = window;
  if (count_padding) shifted.padding = {0, 0};
  double taps = 0.0;
  const std::int64_t extra = count_padding ? 2 : 0;
  for_each_tap(shifted, at[2], at[3], x[2] + extra * window.padding[0],
               x[3] + extra * window.padding[1], [&](std::int64_t, std::int64_t) { taps += 1.0; });
  return taps;
}

inline Values avg_pool(const Values& x, const Shape& y_shape, const SlidingWindow& window,
                       bool count_padding) {
  Values y(y_shape);
  for_each_index(y_shape, [&](const Dims& at) {
    for_each_tap(
        window, at[2], at[3], x.shape[2], x.shape[3],
        [&](std::int64_t row, std::int64_t column) { y[at] += x[{at[0], at[1], row, column}]; });
    y[at] /= mean_divisor(window, x.shape, at, count_padding);
  });
  return y;
}

inline Values avg_pool_gradient(const Shape& x_shape, const Values& dy, const SlidingWindow& window,
                                bool count_padding) {
  Values dx(x_shape);
  for_each_index(dy.shape, [&](const Dims& at) {
    const double share = dy[at] / mean_divisor(window, x_shape, at, count_padding);
    for_each_tap(
        window, at[2], at[3], x_shape[2], x_shape[3],
        [&](std::int64_t row, std::int64_t column) { dx[{at[0], at[1], row, column}] += share; });
  });
  return dx;
}

}  // namespace gaia::test
