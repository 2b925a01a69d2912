// SPDX-License-Identifier: MIT
#include "cases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../src/array/ops.h"
#include "../src/array/random_arrays.h"

namespace gaia::bench {

void add_named(std::vector<Case>& to, std::vector<Case> cases, const std::string& filter) {
  for (Case& one : cases) {
    if (one.name.find(filter) != std::string::npos) to.push_back(std::move(one));
  }
}

Array normal_input(const Shape& shape, std::uint64_t which, DType dtype, double deviation) {
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
  const GPUContext scope(Device::cpu());
  const Array answer = to_cpu(a);
  const Array wanted = to_cpu(b);
  if (answer.shape() != wanted.shape()) return std::numeric_limits<double>::infinity();
  if (answer.size() == 0) return 0.0;
  const double difference = max(abs(answer - wanted)).item();
  if (difference == 0.0) return 0.0;
  const double error = difference / max(abs(wanted)).item();
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

std::string joined_sizes(const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

}  // namespace gaia::bench
