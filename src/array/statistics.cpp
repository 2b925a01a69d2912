// SPDX-License-Identifier: MIT
#include "statistics.h"

#include "joining.h"
#include "statistics_steps.h"

namespace gaia {

Array covariance(const Array& x, const CovarianceOptions& options) {
  return detail::covariance_of(on_current_device(x, "covariance"), options);
}

Array corrcoef(const Array& x, bool rowvar) {
  return detail::corrcoef_of(on_current_device(x, "corrcoef"), rowvar);
}

Array normalize(const Array& x, std::int64_t axis, double epsilon) {
  return detail::normalize_of(on_current_device(x, "normalize"), axis, epsilon);
}

Array median(const Array& x, const Axes& axes, bool keep_dims) {
  const Array here = on_current_device(x, "median");
  return detail::quantiles_of(here, {0.5}, axes, keep_dims, "median").front();
}

Array quantile(const Array& x, double q, const Axes& axes, bool keep_dims) {
  const Array here = on_current_device(x, "quantile");
  return detail::quantiles_of(here, {q}, axes, keep_dims, "quantile").front();
}

Array quantile(const Array& x, const std::vector<double>& q, const Axes& axes, bool keep_dims) {
  return detail::quantile_of(on_current_device(x, "quantile"), q, axes, keep_dims);
}

}  // namespace gaia
