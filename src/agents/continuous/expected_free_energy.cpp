// SPDX-License-Identifier: MIT
#include "expected_free_energy.h"

#include <cmath>
#include <numbers>
#include <string>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../core/error.h"
#include "../../core/text.h"

namespace gaia::agents {

void check(const GaussianPreference& preference, std::int64_t dimensions) {
  if (std::ssize(preference.target) != dimensions ||
      std::ssize(preference.precision) != dimensions) {
    throw ArgumentError("[preference] expected a target and a precision for each of " +
                        std::to_string(dimensions) + " observations, got " +
                        std::to_string(preference.target.size()) + " and " +
                        std::to_string(preference.precision.size()));
  }
  for (std::size_t d = 0; d < preference.target.size(); ++d) {
    if (!std::isfinite(preference.target[d])) {
      throw ArgumentError("[preference] target: expected finite numbers, got " +
                          number_text(preference.target[d]));
    }
    if (!(preference.precision[d] >= 0) || !std::isfinite(preference.precision[d])) {
      throw ArgumentError("[preference] precision: expected finite numbers of 0 or more, got " +
                          number_text(preference.precision[d]));
    }
  }
}

Array log_determinant(const Array& matrices) {
  if (matrices.rank() < 2 || matrices.shape(-1) != matrices.shape(-2) || matrices.shape(-1) < 1) {
    throw ShapeError("[log_determinant] expected square matrices, got shape " +
                     to_string(matrices.shape()));
  }
  // Gauss's elimination without exchanges, which positive definite matrices do not need: the
  // determinant is the product of the pivots.
  Array rest = matrices, sum;
  const std::int64_t n = matrices.shape(-1);
  for (std::int64_t k = 0; k < n; ++k) {
    const Array pivot = rest.select(-1, 0).select(-1, 0);
    const Array logarithm = log(pivot);
    sum = k == 0 ? logarithm : sum + logarithm;
    if (k + 1 == n) break;
    const Array column = rest.select(-1, 0).slice(-1, 1);
    const Array row = column / pivot.expand_dims(-1);
    rest = rest.slice(-1, 1).slice(-2, 1) - column.expand_dims(-1) * row.expand_dims(-2);
  }
  return sum;
}

GaussianFreeEnergy gaussian_free_energy(const Array& means, const Array& log_variances,
                                        const GaussianPreference& preference) {
  if (means.rank() < 2 || means.shape() != log_variances.shape()) {
    throw ShapeError(
        "[gaussian_free_energy] expected means and log variances of one shape "
        "[members, ..., dimensions], got " +
        to_string(means.shape()) + " and " + to_string(log_variances.shape()));
  }
  const std::int64_t dimensions = means.shape(-1);
  check(preference, dimensions);
  const Array m = means.astype(DType::float64), logs = log_variances.astype(DType::float64);

  const Array mu = mean(m, {0});
  const Array apart = m - mu;
  const Array aleatoric = mean(exp(logs), {0});
  const Array epistemic = mean(apart.expand_dims(-1) * apart.expand_dims(-2), {0});
  const Array covariance =
      epistemic + eye(dimensions, 0, DType::float64) * aleatoric.expand_dims(-1);
  const Array mean_log = 0.5 * mean(sum(logs, {-1}), {0});
  const Array log_det = 0.5 * log_determinant(covariance);

  const Array target = from_values(preference.target, {dimensions});
  const Array precision = from_values(preference.precision, {dimensions});
  double constant = 0.0;
  for (const double p : preference.precision) {
    if (p > 0) constant += 0.5 * std::log(2 * std::numbers::pi / p);
  }
  const Array variance = covariance.diagonal(0, -2, -1);
  const double entropy_constant =
      0.5 * static_cast<double>(dimensions) * (1 + std::log(2 * std::numbers::pi));

  GaussianFreeEnergy result;
  result.cross_entropy = 0.5 * sum(precision * (square(mu - target) + variance), {-1}) + constant;
  result.ambiguity = mean_log + entropy_constant;
  result.information_gain = log_det - mean_log;
  result.risk = result.cross_entropy - (log_det + entropy_constant);
  return result;
}

}  // namespace gaia::agents
