// SPDX-License-Identifier: MIT
/// \file
/// How variables vary together, vectors of length one, and what stands in the middle.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "array.h"
#include "quantile_method.h"

namespace gaia {

/// How observations lie in an array, and how they are counted.
struct CovarianceOptions {
  bool rowvar = true;     ///< Rows are variables and columns observations; else the reverse.
  std::int64_t ddof = 1;  ///< The divisor is the number of observations minus this.
};

/// sum_t (x_it - mean_i) (x_jt - mean_j) / (n - ddof), of [variables, observations]; a 1-d array is
/// one variable, and one variable gives a 0-d array.  Computed in float64, returned in the floating
/// dtype of x.
/// \throws ShapeError for more than 2 dimensions or none.
Array covariance(const Array& x, const CovarianceOptions& options = {});

/// How much each observation counts: 1-d arrays, one number per observation.
struct ObservationWeights {
  std::optional<Array> frequencies = {};  ///< How often each was seen: whole numbers, not negative.
  std::optional<Array> reliabilities = {};  ///< How much each is to be trusted; not negative.
};

/// sum_t w_t (x_it - mean_i) (x_jt - mean_j) / (W - ddof r), with w_t the product of both weights,
/// W their sum, mean_i = sum_t w_t x_it / W, and r = sum_t w_t reliability_t / W, or 1 without
/// reliabilities (NumPy's fweights and aweights).  Infinite or NaN where the divisor is not above
/// 0.  \throws ShapeError or ArgumentError for weights that do not fit the observations.
Array covariance(const Array& x, const CovarianceOptions& options,
                 const ObservationWeights& weights);

/// sum w x / sum w over axes, in float64, returned in the floating dtype of x and the weights;
/// `weights` have the shape of x, or are 1-d along the one axis given.
/// \throws ShapeError if they fit neither, ArgumentError if they sum to 0.
Array average(const Array& x, const Axes& axes, const Array& weights, bool keep_dims = false);

/// Pearson's correlation coefficients: c_ij / sqrt(c_ii c_jj) of the covariance c, within [-1, 1];
/// NaN for a variable that does not vary.
Array corrcoef(const Array& x, bool rowvar = true);

/// x / (|x| + epsilon), |x| being the Euclidean norm along `axis`; 0 where x is 0, whatever epsilon
/// is.  PyTorch's divides by max(|x|, epsilon): here vectors are shorter than 1 by the share
/// epsilon / (|x| + epsilon).
Array normalize(const Array& x, std::int64_t axis = -1, double epsilon = 1e-8);

// Over axes as the reductions (all of them if `axes` is empty), computed in float64 and returned in
// the floating dtype of x.  NaN where an element is NaN, and of no elements.

/// The element in the middle, or the mean of the two: quantile 1/2.
Array median(const Array& x, const Axes& axes = {}, bool keep_dims = false);

/// The number that a share q of the elements lies below.  Among n elements in ascending order it
/// stands at position q (n - 1), counted from 0, between two of them on a straight line, or where
/// another method has it.  \throws ArgumentError unless q is within [0, 1].
Array quantile(const Array& x, double q, const Axes& axes = {}, bool keep_dims = false,
               QuantileMethod method = QuantileMethod::linear);
/// Several quantiles at once, along a new first axis: [number of q, ...].
/// \throws ArgumentError also if `q` is empty.
Array quantile(const Array& x, const std::vector<double>& q, const Axes& axes = {},
               bool keep_dims = false, QuantileMethod method = QuantileMethod::linear);

/// quantile(x, p / 100).  \throws ArgumentError unless p is within [0, 100].
Array percentile(const Array& x, double p, const Axes& axes = {}, bool keep_dims = false,
                 QuantileMethod method = QuantileMethod::linear);

}  // namespace gaia
