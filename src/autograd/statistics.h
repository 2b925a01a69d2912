// SPDX-License-Identifier: MIT
/// \file
/// Statistics of tensors, as of arrays (`array/statistics.h`).
#pragma once

#include <cstdint>
#include <vector>

#include "../array/statistics.h"
#include "tensor.h"

namespace gaia {

/// sum_t (x_it - mean_i) (x_jt - mean_j) / (n - ddof), of [variables, observations].
Tensor covariance(const Tensor& x, const CovarianceOptions& options = {});
/// The same of observations that count by weights, which have no gradient.
Tensor covariance(const Tensor& x, const CovarianceOptions& options,
                  const ObservationWeights& weights);
/// Pearson's correlation coefficients.
Tensor corrcoef(const Tensor& x, bool rowvar = true);
/// x / (|x| + epsilon) along `axis`; PyTorch's divides by max(|x|, epsilon).
Tensor normalize(const Tensor& x, std::int64_t axis = -1, double epsilon = 1e-8);

// The gradient goes to the one or two elements that a median or quantile was computed from.

Tensor median(const Tensor& x, const Axes& axes = {}, bool keep_dims = false);
Tensor quantile(const Tensor& x, double q, const Axes& axes = {}, bool keep_dims = false,
                QuantileMethod method = QuantileMethod::linear);
/// Several quantiles at once, along a new first axis.
Tensor quantile(const Tensor& x, const std::vector<double>& q, const Axes& axes = {},
                bool keep_dims = false, QuantileMethod method = QuantileMethod::linear);

}  // namespace gaia
