// SPDX-License-Identifier: MIT
/// \file
/// What metrics read: matrices as numbers on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../array/array.h"
#include "../core/message.h"

namespace gaia::metrics {

/// The elements of a matrix of any dtype, row by row.
struct HostMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;

  double operator()(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

/// \throws ShapeError unless `array` has two axes and elements.  `function` and `axes`, such as
/// "[samples, neurons]", stand in the error.
inline HostMatrix matrix_of(const char* function, const char* axes, const Array& array) {
  if (array.rank() != 2 || array.size() == 0) {
    fail<ShapeError>("[{}] expected {} with at least one of each, got shape {}", function, axes,
                     array.shape());
  }
  return {array.shape(0), array.shape(1), array.to_vector<double>()};
}

inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// The largest of |values|.
inline double largest_size(std::span<const double> values) {
  double largest = 0.0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

/// So that squares stay within the range of a double.
inline void divide_all(std::span<double> values, double divisor) {
  for (double& v : values) v /= divisor;
}

}  // namespace gaia::metrics
