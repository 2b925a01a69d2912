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

Array quantile(const Array& x, double q, const Axes& axes, bool keep_dims, QuantileMethod method) {
  const Array here = on_current_device(x, "quantile");
  return detail::quantiles_of(here, {q}, axes, keep_dims, "quantile", method).front();
}

Array quantile(const Array& x, const std::vector<double>& q, const Axes& axes, bool keep_dims,
               QuantileMethod method) {
  return detail::quantile_of(on_current_device(x, "quantile"), q, axes, keep_dims, method);
}

Array percentile(const Array& x, double p, const Axes& axes, bool keep_dims,
                 QuantileMethod method) {
  const Array here = on_current_device(x, "percentile");
  return detail::quantiles_of(here, {p / 100.0}, axes, keep_dims, "percentile", method).front();
}

Array covariance(const Array& x, const CovarianceOptions& options,
                 const ObservationWeights& weights) {
  const Array here = on_current_device(x, "covariance");
  return detail::between_variables(detail::weighted_covariances_of(here, options, weights), here);
}

Array average(const Array& x, const Axes& axes, const Array& weights, bool keep_dims) {
  const Axes over = reduced_axes(axes, x.rank(), "average");
  Array each = weights;
  if (weights.shape() != x.shape()) {
    const bool along = weights.rank() == 1 && axes.rank() == 1 && over.rank() == 1 &&
                       weights.size() == x.shape(static_cast<int>(over[0]));
    if (!along) {
      fail<ShapeError>(
          "[average] expected weights of the shape of x, {}, or 1-d along one axis, got {}",
          x.shape(), weights.shape());
    }
    Shape shape = Shape::filled(x.rank(), 1);
    shape[static_cast<int>(over[0])] = weights.size();
    each = weights.reshape(shape).broadcast_to(x.shape());
  }
  each = each.astype(DType::float64);
  const Array total = sum(each, over, keep_dims);
  if (any(equal(total, 0.0)).item() != 0.0) {
    fail<ArgumentError>("[average] expected weights whose sum is not 0, got shape {}",
                        weights.shape());
  }
  const Array result = sum(x.astype(DType::float64) * each, over, keep_dims) / total;
  return result.astype(floating_result(promote(x.dtype(), weights.dtype())));
}

namespace detail {

std::int64_t check_weights(const Shape& x, const CovarianceOptions& options,
                           const ObservationWeights& weights) {
  if (x.rank() != 1 && x.rank() != 2) {
    fail<ShapeError>("[covariance] expected 1 or 2 dimensions, got shape {}", x);
  }
  const std::int64_t n = x[x.rank() == 1 || !options.rowvar ? 0 : 1];
  const auto check = [&](const std::optional<Array>& one, const char* name) {
    if (!one) return;
    if (one->rank() != 1 || one->size() != n) {
      fail<ShapeError>("[covariance] expected {} of shape [{}], one per observation, got {}", name,
                       n, one->shape());
    }
    if (n > 0 && any(less(*one, 0.0)).item() != 0.0) {
      fail<ArgumentError>("[covariance] expected {} that are not negative, got {}", name,
                          min(*one).item());
    }
  };
  check(weights.frequencies, "frequencies");
  check(weights.reliabilities, "reliabilities");
  if (weights.frequencies && is_floating(weights.frequencies->dtype()) &&
      any(not_equal(*weights.frequencies, floor(*weights.frequencies))).item() != 0.0) {
    throw ArgumentError("[covariance] expected frequencies that are whole numbers");
  }
  return n;
}

}  // namespace detail

}  // namespace gaia
