// SPDX-License-Identifier: MIT
#include "expected_free_energy.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "../../array/ops.h"
#include "../../core/message.h"

namespace gaia::agents {

void check(const GaussianPreference& preference, std::int64_t dimensions) {
  if (std::ssize(preference.target) != dimensions ||
      std::ssize(preference.precision) != dimensions) {
    fail<ArgumentError>(
        "[preference] expected a target and a precision for each of {} observations, got {} and {}",
        dimensions, preference.target.size(), preference.precision.size());
  }
  for (std::size_t d = 0; d < preference.target.size(); ++d) {
    if (!std::isfinite(preference.target[d])) {
      fail<ArgumentError>("[preference] target: expected finite numbers, got {}",
                          preference.target[d]);
    }
    if (!(preference.precision[d] >= 0) || !std::isfinite(preference.precision[d])) {
      fail<ArgumentError>("[preference] precision: expected finite numbers of 0 or more, got {}",
                          preference.precision[d]);
    }
  }
}

Array log_determinant(std::vector<std::vector<Array>> lower) {
  // Gauss's elimination without exchanges, which positive definite matrices do not need: the
  // determinant is the product of the pivots.
  Array sum;
  for (std::size_t k = 0; k < lower.size(); ++k) {
    const Array pivot = lower[k][k];
    sum = k == 0 ? log(pivot) : sum + log(pivot);
    for (std::size_t i = k + 1; i < lower.size(); ++i) {
      const Array factor = lower[i][k] / pivot;
      for (std::size_t j = k + 1; j <= i; ++j) lower[i][j] = lower[i][j] - factor * lower[j][k];
    }
  }
  return sum;
}

GaussianFreeEnergy gaussian_free_energy(const Array& means, const Array& log_variances,
                                        const GaussianPreference& preference) {
  if (means.rank() < 2 || means.shape() != log_variances.shape()) {
    fail<ShapeError>(
        "[gaussian_free_energy] expected means and log variances of one shape [members, ..., "
        "dimensions], got {} and {}",
        means.shape(), log_variances.shape());
  }
  const std::int64_t dimensions = means.shape(-1);
  check(preference, dimensions);
  // [D, members, ...]: axes as short as D are slow where they are the last.
  Axes order = {means.rank() - 1};
  for (int axis = 0; axis + 1 < means.rank(); ++axis) order.push_back(axis);
  const Array m = means.transpose(order).astype(DType::float64).contiguous();
  const Array logs = log_variances.transpose(order).astype(DType::float64).contiguous();

  const Array mu = mean(m, {1});
  const Array apart = m - mu.expand_dims(1);
  const Array aleatoric = mean(exp(logs), {1});
  const auto size = static_cast<std::size_t>(dimensions);
  std::vector<std::vector<Array>> covariance(size);  // its lower half
  for (std::int64_t i = 0; i < dimensions; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      const Array epistemic = mean(apart[i] * apart[j], {0});
      covariance[static_cast<std::size_t>(i)].push_back(i == j ? epistemic + aleatoric[i]
                                                               : epistemic);
    }
  }
  Array apart_from_target =
      0.5 * preference.precision[0] * (square(mu[0] - preference.target[0]) + covariance[0][0]);
  for (std::size_t d = 1; d < size; ++d) {
    if (preference.precision[d] == 0) continue;
    apart_from_target =
        apart_from_target +
        0.5 * preference.precision[d] *
            (square(mu[static_cast<std::int64_t>(d)] - preference.target[d]) + covariance[d][d]);
  }
  const Array mean_log = 0.5 * mean(sum(logs, {0}), {0});
  const Array log_det = 0.5 * log_determinant(std::move(covariance));

  double constant = 0.0;
  for (const double p : preference.precision) {
    if (p > 0) constant += 0.5 * std::log(2 * std::numbers::pi / p);
  }
  const double entropy_constant =
      0.5 * static_cast<double>(dimensions) * (1 + std::log(2 * std::numbers::pi));

  GaussianFreeEnergy result;
  result.cross_entropy = apart_from_target + constant;
  result.ambiguity = mean_log + entropy_constant;
  result.information_gain = log_det - mean_log;
  result.risk = result.cross_entropy - (log_det + entropy_constant);
  return result;
}

}  // namespace gaia::agents
