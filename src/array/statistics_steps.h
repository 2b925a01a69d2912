// SPDX-License-Identifier: MIT
/// \file
/// Statistics as sums, products and sorting: written once, for arrays and for tensors, whose
/// gradients are then those of the steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../core/message.h"
#include "create.h"
#include "operands.h"
#include "ops.h"
#include "sorting.h"
#include "statistics.h"

namespace gaia::detail {

/// An array, or a tensor without a gradient, of these numbers.
template <class T>
T constant(const Array& numbers) {
  if constexpr (std::is_same_v<T, Array>) {
    return numbers;
  } else {
    return T(numbers, false);
  }
}

/// The number of observations in x.  \throws ShapeError or ArgumentError for weights that do not
/// fit them.
std::int64_t check_weights(const Shape& x, const CovarianceOptions& options,
                           const ObservationWeights& weights);

/// In float64; a single variable gives [1, 1].
template <class T>
T covariances_of(const T& x, const CovarianceOptions& options, const char* function) {
  if (x.rank() != 1 && x.rank() != 2) {
    fail<ShapeError>("[{}] expected 1 or 2 dimensions, got shape {}", function, x.shape());
  }
  const T rows = x.rank() == 1 ? x.expand_dims(0) : options.rowvar ? x : x.transpose();
  const T numbers = rows.astype(DType::float64);
  const T centered = numbers - mean(numbers, {1}, true);
  const std::int64_t divisor = std::max<std::int64_t>(0, numbers.shape(1) - options.ddof);
  return matmul(centered, centered.transpose()) / static_cast<double>(divisor);
}

/// The same of observations that count by `weights`; NumPy's divisor.
template <class T>
T weighted_covariances_of(const T& x, const CovarianceOptions& options,
                          const ObservationWeights& weights) {
  const std::int64_t n = check_weights(x.shape(), options, weights);
  const auto in_float64 = [](const std::optional<Array>& one, std::int64_t count) {
    return one ? one->astype(DType::float64) : full({count}, 1.0, DType::float64);
  };
  const Array each = in_float64(weights.frequencies, n) * in_float64(weights.reliabilities, n);
  const T rows = x.rank() == 1 ? x.expand_dims(0) : options.rowvar ? x : x.transpose();
  const T numbers = rows.astype(DType::float64);
  const T shares = constant<T>(each);
  const double total = sum(each).item();
  const T centered = numbers - sum(numbers * shares, {1}, true) / total;
  const double spread =
      weights.reliabilities ? sum(each * *weights.reliabilities).item() / total : 1.0;
  const double divisor = total - static_cast<double>(options.ddof) * spread;
  return matmul(centered * shares, centered.transpose()) / std::max(0.0, divisor);
}

/// A matrix between variables, in the dtype of x's result; of one variable 0-d.
template <class T>
T between_variables(const T& result, const T& x) {
  return (result.shape(0) == 1 ? result.reshape({}) : result).astype(floating_result(x.dtype()));
}

template <class T>
T covariance_of(const T& x, const CovarianceOptions& options) {
  return between_variables(covariances_of(x, options, "covariance"), x);
}

template <class T>
T corrcoef_of(const T& x, bool rowvar) {
  const T c = covariances_of(x, {.rowvar = rowvar}, "corrcoef");
  const T deviations = sqrt(c.diagonal());
  const T result = c / deviations.expand_dims(1) / deviations;
  return between_variables(clip(result, -1.0, 1.0), x);
}

/// The numbers of an array or of a tensor.
template <class T>
const Array& numbers_of(const T& x) {
  if constexpr (requires { x.value(); }) {
    return x.value();
  } else {
    return x;
  }
}

template <class T>
T normalize_of(const T& x, std::int64_t axis, double epsilon) {
  const T length = norm(x, {axis}, true) + epsilon;
  // A vector of zeros stays one, whatever is left of epsilon.
  return x / where(equal(numbers_of(length), 0.0), 1.0, length);
}

/// The elements over which a reduction runs as lanes along one last axis.
template <class T>
T lanes_of(const T& x, const Axes& axes) {
  Axes order;
  Shape shape;
  std::int64_t length = 1;
  for (std::int64_t axis = 0; axis < x.rank(); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
    order.push_back(axis);
    shape.push_back(x.shape(static_cast<int>(axis)));
  }
  for (const std::int64_t axis : axes) {
    order.push_back(axis);
    length *= x.shape(static_cast<int>(axis));
  }
  shape.push_back(length);
  return x.transpose(order).reshape(shape);
}

/// Quantile `q` of lanes in ascending order, in float64, between two elements by a straight line.
template <class T>
T quantile_of_sorted(const T& sorted, double q, QuantileMethod method) {
  const std::int64_t last = sorted.shape(-1) - 1;
  const QuantilePlace place = quantile_place(method, q, last + 1);
  const auto at = [&](std::int64_t i) { return sorted.select(-1, i).astype(DType::float64); };
  T result = at(place.below);
  if (place.share > 0.0) {
    const T above = at(place.above);
    const Array level = equal(numbers_of(result), numbers_of(above));
    const Array is_finite = isfinite(numbers_of(result));
    // Weights, not a difference, so that infinities and the largest numbers pass.  They would round
    // equals, which a difference, of 0, leaves as they are; both have the same slopes.
    result = where(logical_and(level, is_finite), result + (above - result) * place.share,
                   result * (1.0 - place.share) + above * place.share);
  }
  // NaN is sorted last.
  const T largest = at(last);
  return where(isnan(numbers_of(largest)), largest, result);
}

/// A quantile for each of `q`.
template <class T>
std::vector<T> quantiles_of(const T& x, const std::vector<double>& q, const Axes& axes,
                            bool keep_dims, const char* function,
                            QuantileMethod method = QuantileMethod::linear) {
  for (const double share : q) {
    if (share >= 0.0 && share <= 1.0) continue;
    fail<ArgumentError>("[{}] expected quantiles of [0, 1], got {}", function,
                        std::to_string(share));
  }
  const Axes reduced = normalize_axes(axes, x.rank(), function);
  const T lanes = lanes_of(x, reduced);
  // The quantiles of nothing are NaN, as its mean.
  if (lanes.shape(-1) == 0) return std::vector<T>(q.size(), mean(x, axes, keep_dims));
  const T sorted = sort(lanes);
  Shape shape = x.shape();
  for (const std::int64_t axis : reduced) shape[static_cast<int>(axis)] = 1;
  std::vector<T> results;
  for (const double share : q) {
    const T result = quantile_of_sorted(sorted, share, method).astype(floating_result(x.dtype()));
    results.push_back(keep_dims ? result.reshape(shape) : result);
  }
  return results;
}

/// The same along a new first axis.
template <class T>
T quantile_of(const T& x, const std::vector<double>& q, const Axes& axes, bool keep_dims,
              QuantileMethod method) {
  if (q.empty()) throw ArgumentError("[quantile] expected at least one quantile, got none");
  return stack(quantiles_of(x, q, axes, keep_dims, "quantile", method), 0);
}

}  // namespace gaia::detail
