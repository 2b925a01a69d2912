// SPDX-License-Identifier: MIT
/// \file
/// Sums, extremes, softmax and matrix products, by plain loops in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../src/array/backend.h"
#include "values.h"

namespace gaia::test {

/// The shape with length 1 along `axes` (counted from the front).
inline Shape reduced_shape(const Shape& shape, const Axes& axes) {
  Shape result = shape;
  for (const std::int64_t axis : axes) result[static_cast<int>(axis)] = 1;
  return result;
}

/// NaN wins in max and min; a mean of nothing is NaN, a product 1.
inline Values reduce(Reduction kind, const Values& x, const Axes& axes) {
  Values y(reduced_shape(x.shape, axes));
  std::vector<long double> sums(y.numbers.size(), 0.0L);
  std::vector<long double> products(y.numbers.size(), 1.0L);
  std::vector<std::int64_t> counts(y.numbers.size(), 0);
  for_each_index(x.shape, [&](const Dims& at) {
    Dims target = at;
    for (const std::int64_t axis : axes) target[static_cast<int>(axis)] = 0;
    double& result = y[target];
    const auto i = static_cast<std::size_t>(&result - y.numbers.data());
    const double number = x[at];
    const bool first = counts[i]++ == 0;
    sums[i] += number;
    products[i] *= number;
    if (kind == Reduction::max && (first || number > result || std::isnan(number))) result = number;
    if (kind == Reduction::min && (first || number < result || std::isnan(number))) result = number;
  });
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (kind == Reduction::sum) y.numbers[i] = static_cast<double>(sums[i]);
    if (kind == Reduction::prod) y.numbers[i] = static_cast<double>(products[i]);
    if (kind == Reduction::mean) y.numbers[i] = static_cast<double>(sums[i] / counts[i]);
  }
  return y;
}

/// a [..., m, k] b [..., k, n], of one rank, with leading axes broadcast to those of y.
inline Values matmul(const Values& a, const Values& b, const Shape& y_shape) {
  Values y(y_shape);
  const int row = y_shape.rank() - 2;
  const std::int64_t inner = a.shape.back();
  for_each_index(y_shape, [&](const Dims& at) {
    long double sum = 0;
    for (std::int64_t k = 0; k < inner; ++k) {
      Dims left = at;
      Dims right = at;
      left[row + 1] = k;
      right[row] = k;
      sum += static_cast<long double>(a.spread(left)) * b.spread(right);
    }
    y[at] = static_cast<double>(sum);
  });
  return y;
}

/// Along the last axis.
inline Values softmax(const Values& x) {
  Values y = x;
  const auto n = static_cast<std::size_t>(x.shape.back());
  for (std::size_t start = 0; start < x.numbers.size(); start += n) {
    const double* const from = x.numbers.data() + start;
    const double largest = *std::max_element(from, from + n);
    long double total = 0;
    for (std::size_t j = 0; j < n; ++j)
      total += std::exp(static_cast<long double>(from[j]) - largest);
    for (std::size_t j = 0; j < n; ++j) {
      y.numbers[start + j] =
          static_cast<double>(std::exp(static_cast<long double>(from[j]) - largest) / total);
    }
  }
  return y;
}

}  // namespace gaia::test
