// SPDX-License-Identifier: MIT
/// \file
/// Reductions that leave out NaN as sums, choices and sorting: written once, for arrays and for
/// tensors, whose gradients are then those of the steps; NaN gets none.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "indexing.h"
#include "nan_functions.h"
#include "statistics_steps.h"

namespace gaia::detail {

/// x with `value` where it is NaN.
template <class T>
T without_nan(const T& x, double value) {
  return is_floating(x.dtype()) ? where(isnan(numbers_of(x)), value, x) : x;
}

/// How many elements over the axes, which stay, are numbers: float64.
template <class T>
Array numbers_over(const T& x, const Axes& axes) {
  return sum(logical_not(isnan(numbers_of(x))), axes, true).astype(DType::float64);
}

/// `kept` without the axes that a reduction over `axes` takes away.
template <class T>
T dropped(const T& kept, const Axes& axes, bool keep_dims, const char* function) {
  if (keep_dims || kept.rank() == 0) return kept;
  return kept.squeeze(normalize_axes(axes, kept.rank(), function));
}

/// The mean with the axes kept, in float64.
template <class T>
T nan_center(const T& x, const Axes& axes) {
  return sum(without_nan(x.astype(DType::float64), 0.0), axes, true) /
         constant<T>(numbers_over(x, axes));
}

template <class T>
T nanmean_of(const T& x, const Axes& axes, bool keep_dims) {
  if (!is_floating(x.dtype())) return mean(x, axes, keep_dims);
  return dropped(nan_center(x, axes), axes, keep_dims, "nanmean")
      .astype(floating_result(x.dtype()));
}

/// In float64, the axes kept.
template <class T>
T nan_variance(const T& x, const Axes& axes, std::int64_t ddof) {
  const T numbers = x.astype(DType::float64);
  const T center = nan_center(x, axes);
  const T apart = without_nan(numbers - center, 0.0);
  // An infinite mean leaves NaN, which is no missing number.
  const Array unknown = logical_not(isfinite(numbers_of(center)));
  const Array freedom = numbers_over(x, axes) - static_cast<double>(ddof);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array divisor = where(logical_or(less_equal(freedom, 0.0), unknown), nan, freedom);
  return sum(square(apart), axes, true) / constant<T>(divisor);
}

template <class T>
T nanvar_of(const T& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  return dropped(nan_variance(x, axes, ddof), axes, keep_dims, "nanvar")
      .astype(floating_result(x.dtype()));
}

template <class T>
T nanstd_of(const T& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  return dropped(sqrt(nan_variance(x, axes, ddof)), axes, keep_dims, "nanstd")
      .astype(floating_result(x.dtype()));
}

/// One quantile of lanes in ascending order, whose first `counts` elements are numbers: float64.
template <class T>
T nanquantile_of_sorted(const T& sorted, const Array& counts, double q, QuantileMethod method) {
  const std::int64_t length = sorted.shape(-1);
  std::vector<std::int64_t> below(static_cast<std::size_t>(length) + 1, 0);
  std::vector<std::int64_t> above(below);
  std::vector<double> share(below.size(), 0.0);
  for (std::int64_t n = 1; n <= length; ++n) {
    const QuantilePlace place = quantile_place(method, q, n);
    const auto i = static_cast<std::size_t>(n);
    below[i] = place.below;
    above[i] = place.share > 0.0 ? place.above : place.below;
    share[i] = place.share;
  }
  const Shape lengths = {length + 1};
  const auto at = [&](const std::vector<std::int64_t>& positions) {
    const Array indices = take(from_values(positions, lengths), counts).expand_dims(-1);
    return take_along_axis(sorted, indices, -1).squeeze({-1}).astype(DType::float64);
  };
  const T low = at(below);
  const T high = at(above);
  const Array by = take(from_values(share, lengths), counts);
  const T weight = constant<T>(by);
  const Array level = equal(numbers_of(low), numbers_of(high));
  const T between = where(logical_and(level, isfinite(numbers_of(low))),
                          low + (high - low) * weight, low * (1.0 - weight) + high * weight);
  return where(equal(by, 0.0), low, between);
}

template <class T>
std::vector<T> nanquantiles_of(const T& x, const std::vector<double>& q, const Axes& axes,
                               bool keep_dims, const char* function, QuantileMethod method) {
  if (!is_floating(x.dtype())) return quantiles_of(x, q, axes, keep_dims, function, method);
  for (const double share : q) {
    if (share >= 0.0 && share <= 1.0) continue;
    fail<ArgumentError>("[{}] expected quantiles of [0, 1], got {}", function,
                        std::to_string(share));
  }
  const Axes reduced = normalize_axes(axes, x.rank(), function);
  const T lanes = lanes_of(x, reduced);
  if (lanes.shape(-1) == 0) return std::vector<T>(q.size(), mean(x, axes, keep_dims));
  const T sorted = sort(lanes);
  const Array counts = sum(logical_not(isnan(numbers_of(lanes))), {-1});
  Shape shape = x.shape();
  for (const std::int64_t axis : reduced) shape[static_cast<int>(axis)] = 1;
  std::vector<T> results;
  for (const double share : q) {
    const T result =
        nanquantile_of_sorted(sorted, counts, share, method).astype(floating_result(x.dtype()));
    results.push_back(keep_dims ? result.reshape(shape) : result);
  }
  return results;
}

}  // namespace gaia::detail
