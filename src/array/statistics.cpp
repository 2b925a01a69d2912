// SPDX-License-Identifier: MIT
#include "statistics.h"

#include <algorithm>

#include "operands.h"
#include "ops.h"

namespace gaia {
namespace {

/// In float64; a single variable gives [1, 1].
Array covariances(const Array& x, const CovarianceOptions& options, const char* function) {
  if (x.rank() != 1 && x.rank() != 2) {
    throw ShapeError(tag(function) + "expected 1 or 2 dimensions, got shape " +
                     to_string(x.shape()));
  }
  const Array rows = x.rank() == 1 ? x.expand_dims(0) : options.rowvar ? x : x.transpose();
  const Array numbers = on_current_device(rows, function).astype(DType::float64);
  const Array centered = numbers - mean(numbers, {1}, true);
  const std::int64_t divisor = std::max<std::int64_t>(0, numbers.shape(1) - options.ddof);
  return matmul(centered, centered.transpose()) / static_cast<double>(divisor);
}

Array answer(const Array& result, const Array& x) {
  return (result.size() == 1 ? result.reshape({}) : result).astype(floating_result(x.dtype()));
}

}  // namespace

Array covariance(const Array& x, const CovarianceOptions& options) {
  return answer(covariances(x, options, "covariance"), x);
}

Array corrcoef(const Array& x, bool rowvar) {
  const Array c = covariances(x, {.rowvar = rowvar}, "corrcoef");
  const Array deviations = sqrt(c.diagonal());
  const Array result = c / deviations.expand_dims(1) / deviations;
  return answer(clip(result, -1.0, 1.0), x);
}

Array normalize(const Array& x, std::int64_t axis, double epsilon) {
  return x / (norm(x, {axis}, true) + epsilon);
}

}  // namespace gaia
