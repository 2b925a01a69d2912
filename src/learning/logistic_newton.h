// SPDX-License-Identifier: MIT
/// \file
/// How the minimum of a logistic regression is found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gaia {

/// Standardised features and the classes of their rows: x_ij = (rows_ij - mean_j) scale_j.
struct LogisticProblem {
  std::span<const double> rows;               ///< [rows, features]
  std::span<const std::int64_t> places = {};  ///< [rows]: of a row's class among the classes.
  std::int64_t classes = 0;                   ///< Two or more, each with a row.
  std::span<const double> mean = {};          ///< [features]
  std::span<const double> scale = {};         ///< [features]
  std::span<const double> penalty = {};       ///< [features], above 0.
  /// [classes], of mean 1 over the rows: how much a row of the class counts; empty: each once.
  std::span<const double> weights = {};
};

struct LogisticMinimum {
  std::vector<double> weights;     ///< [classes, features], of the standardised features.
  std::vector<double> intercepts;  ///< [classes]
  bool converged = false;
  int steps = 0;
  int products = 0;  ///< Products with the Hessian, of all steps.
};

/// Minimises  -sum_i w_class(i) log softmax(V x_i + b)_class(i) / rows
///            + sum_kj penalty_j V_kj^2 / 2.
///
/// By Newton's method with backtracking; each step is found by conjugate gradients (Dembo &
/// Steihaug, 1983, Math. Program. 26, 190-212), which need products with the Hessian alone.  They
/// are preconditioned by c C + diag(penalty), with C the covariance of the features (of a part of
/// the rows) and c the mean of p (1 - p): features with strong correlations take no longer then.
/// For more than 2 048 features the diagonal of that stands in.
LogisticMinimum minimise(const LogisticProblem& problem);

}  // namespace gaia
