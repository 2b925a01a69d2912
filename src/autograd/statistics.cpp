// SPDX-License-Identifier: MIT
#include "statistics.h"

#include "../array/statistics_steps.h"
#include "joining.h"
#include "linear.h"
#include "pointwise.h"
#include "reduce.h"
#include "sorting.h"

namespace gaia {

Tensor covariance(const Tensor& x, const CovarianceOptions& options) {
  return detail::covariance_of(x, options);
}

Tensor corrcoef(const Tensor& x, bool rowvar) { return detail::corrcoef_of(x, rowvar); }

Tensor normalize(const Tensor& x, std::int64_t axis, double epsilon) {
  return detail::normalize_of(x, axis, epsilon);
}

Tensor median(const Tensor& x, const Axes& axes, bool keep_dims) {
  return detail::quantiles_of(x, {0.5}, axes, keep_dims, "median").front();
}

Tensor quantile(const Tensor& x, double q, const Axes& axes, bool keep_dims,
                QuantileMethod method) {
  return detail::quantiles_of(x, {q}, axes, keep_dims, "quantile", method).front();
}

Tensor quantile(const Tensor& x, const std::vector<double>& q, const Axes& axes, bool keep_dims,
                QuantileMethod method) {
  return detail::quantile_of(x, q, axes, keep_dims, method);
}

Tensor covariance(const Tensor& x, const CovarianceOptions& options,
                  const ObservationWeights& weights) {
  return detail::between_variables(detail::weighted_covariances_of(x, options, weights), x);
}

}  // namespace gaia
