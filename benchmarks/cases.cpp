// SPDX-License-Identifier: MIT
#include "cases.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../src/array/random_arrays.h"

namespace gaia::bench {

Array normal_input(const Shape& shape, DType dtype, std::uint64_t which, double deviation) {
  return random_normal(shape, 0.0, deviation, dtype, {7, which});
}

double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    // And not NaN, which std::max passes over.
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) {
      return std::numeric_limits<double>::infinity();
    }
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return difference == 0.0 ? 0.0 : difference / size;
}

double relative_error(const Array& a, const Array& b) {
  return relative_error(a.to_vector<double>(), b.to_vector<double>());
}

std::string joined_sizes(const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

}  // namespace gaia::bench
