// SPDX-License-Identifier: MIT
/// \file
/// Multinomial logistic regression with L2.
///
///     LogisticRegression logistic(features, 1e-4);
///     logistic.fit(rows, codes);                   // [rows, features] and [rows]
///     const std::vector<double> p = logistic.probabilities(rows);  // [rows, classes]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "class_weights.h"

namespace gaia {

/// What a logistic regression has learnt: probabilities are softmax(weights x + intercepts).
struct LogisticSolution {
  std::vector<std::int64_t> classes = {};  ///< Codes, rising.
  std::vector<double> weights = {};        ///< [classes, features]; they sum to 0 over classes.
  std::vector<double> intercepts = {};     ///< [classes]; so do these.
};

/// Finds the weights W [classes, features] and intercepts b [classes] that minimise
///     -sum_i log p_i / n + l2/2 s |W|^2,    p_i = softmax(W x_i + b) of the class of row i,
/// over n rows, with s the mean variance of the features (over n): as in RidgeRegression, l2 needs
/// no change when all features are scaled or rows are added.  (Cox, 1966, in Research Papers in
/// Statistics, 55-71; McFadden, 1974, in Frontiers in Econometrics, 105-142.)
///
/// This is scikit-learn's LogisticRegression with C = 1 / (n l2 s).  Of two classes it regularises
/// the difference of the two weights, l2/2 s |w_1 - w_0|^2, as scikit-learn does too: w_1 - w_0 is
/// its coef_, b_1 - b_0 its intercept_, and probabilities are the same.
///
/// With ClassWeight::balanced row i of class c counts w_c = n / (K n_c) times (class_weights.h):
/// the sum is over w_c log p_i.  The w have the mean 1 and s is that of all rows, so l2 and C keep
/// their meaning, and scikit-learn's is LogisticRegression(class_weight="balanced").  Probabilities
/// are those of data in which all classes are equally frequent.
///
/// A little of l2 is always there (the rounding of as many features), so that classes that can be
/// told apart without fault have a solution too.  A feature that does not vary gets the weight 0.
/// One class alone is predicted with probability 1.  Solutions do not depend on the number of
/// threads.
class LogisticRegression {
 public:
  /// \throws ArgumentError unless there is a feature and l2 is finite and not negative.
  explicit LogisticRegression(std::int64_t features, double l2 = 1e-4,
                              ClassWeight class_weight = ClassWeight::none);

  /// Takes rows [rows, features] and the code of the class of each.
  /// \throws ShapeError if their lengths do not fit, ArgumentError for no rows, for NaN, infinity
  /// or features whose variance is too large for a double, and for more than 65 536 classes.
  void fit(std::span<const double> rows, std::span<const std::int64_t> codes);

  bool is_fitted() const { return !solution_.classes.empty(); }
  /// Whether the last fit reached the minimum; if not, it ended where it came to after the most
  /// steps that it takes, which is close to it as a rule.
  bool converged() const { return converged_; }
  /// Newton's steps of the last fit.
  int steps() const { return steps_; }

  std::int64_t features() const { return features_; }
  const std::vector<std::int64_t>& classes() const { return solution_.classes; }
  const std::vector<double>& weights() const { return solution_.weights; }
  const std::vector<double>& intercepts() const { return solution_.intercepts; }

  /// For rows [rows, features], as [rows, classes].
  /// \throws ArgumentError before a fit, ShapeError if the last row is not whole.
  std::vector<double> probabilities(std::span<const double> rows) const;

  const LogisticSolution& solution() const { return solution_; }
  /// Takes over what another has found.  \throws ShapeError unless there are as many weights and
  /// intercepts as classes and features ask for, ArgumentError unless the classes rise and all
  /// numbers are finite.
  void set_solution(const LogisticSolution& solution);

 private:
  std::int64_t features_;
  double l2_;
  ClassWeight class_weight_;
  LogisticSolution solution_;
  bool converged_ = false;
  int steps_ = 0;
};

}  // namespace gaia
