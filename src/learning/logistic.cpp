// SPDX-License-Identifier: MIT
#include "logistic.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../core/message.h"
#include "../core/parallel.h"
#include "logistic_newton.h"
#include "scores.h"

namespace gaia {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kMostClasses = 65536;
constexpr std::int64_t kRowsOfProbabilities = 256;  // one task's

/// Mean and variance of each feature, over rows - 1 or rows alike: they only set units.
struct Spread {
  std::vector<double> mean;
  std::vector<double> variance;  // over rows
};

Spread spread_of(std::span<const double> rows, std::size_t features) {
  const double count = static_cast<double>(rows.size() / features);
  Spread spread{std::vector<double>(features), std::vector<double>(features)};
  // Counted from the first row, a feature that never changes has a variance of exactly 0.
  std::vector<double> shift(features);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(rows[i])) {
      fail<ArgumentError>("[LogisticRegression] feature {} of row {} is {}; leave such rows out",
                          i % features, i / features, rows[i]);
    }
    shift[i % features] += (rows[i] - rows[i % features]) / count;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t j = i % features;
    const double distance = (rows[i] - rows[j]) - shift[j];
    spread.variance[j] += distance * distance / count;
  }
  for (std::size_t j = 0; j < features; ++j) {
    spread.mean[j] = rows[j] + shift[j];
    if (!std::isfinite(spread.variance[j])) {
      fail<ArgumentError>(
          "[LogisticRegression] feature {} has a variance too large for a double; scale the "
          "features",
          j);
    }
  }
  return spread;
}

}  // namespace

LogisticRegression::LogisticRegression(std::int64_t features, double l2, ClassWeight class_weight)
    : features_(features), l2_(l2), class_weight_(class_weight) {
  if (features < 1) {
    fail<ArgumentError>("[LogisticRegression] expected 1 or more features, got {}", features);
  }
  if (!(l2 >= 0.0) || !std::isfinite(l2)) {
    fail<ArgumentError>("[LogisticRegression] expected l2 to be 0 or more, got {}", l2);
  }
}

void LogisticRegression::fit(std::span<const double> rows, std::span<const std::int64_t> codes) {
  const auto features = static_cast<std::size_t>(features_);
  if (rows.size() != codes.size() * features) {
    fail<ShapeError>("[LogisticRegression] {} codes need {} numbers of features, got {}",
                     codes.size(), codes.size() * features, rows.size());
  }
  if (codes.empty())
    throw ArgumentError("[LogisticRegression] expected rows to learn from, got none");
  std::vector<std::int64_t> classes = scores::classes_of(codes);
  if (classes.size() > kMostClasses) {
    fail<ArgumentError>(
        "[LogisticRegression] expected at most {} classes, got {}; are the codes numbers to be "
        "predicted by ridge regression?",
        kMostClasses, classes.size());
  }
  Spread spread = spread_of(rows, features);
  double mean_variance = 0.0;
  for (const double variance : spread.variance) {
    mean_variance += variance / static_cast<double>(features_);
  }

  std::vector<std::int64_t> places(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    places[i] = std::lower_bound(classes.begin(), classes.end(), codes[i]) - classes.begin();
  }
  const bool is_balanced = class_weight_ == ClassWeight::balanced;
  const std::vector<double> weights =
      is_balanced ? balanced_class_weights(places, std::ssize(classes)) : std::vector<double>();

  if (classes.size() == 1 || !(mean_variance > 0.0)) {
    // Nothing to be told apart, or nothing to tell by: the shares of the classes are the answer,
    // which are equal where they are balanced.
    LogisticSolution solution;
    for (const std::int64_t code : classes) {
      const auto count = static_cast<double>(std::count(codes.begin(), codes.end(), code));
      solution.intercepts.push_back(is_balanced ? 0.0 : std::log(count));
    }
    double mean = 0.0;
    for (const double intercept : solution.intercepts) {
      mean += intercept / static_cast<double>(classes.size());
    }
    for (double& intercept : solution.intercepts) intercept -= mean;
    solution.weights.resize(classes.size() * features);
    solution.classes = std::move(classes);
    solution_ = std::move(solution);
    converged_ = true;
    steps_ = 0;
    return;
  }

  const double least = std::numeric_limits<double>::epsilon() * static_cast<double>(features_);
  // |w_1 - w_0|^2 of weights that sum to 0 is 2 |W|^2.
  const double strength = std::max(l2_, least) * (classes.size() == 2 ? 2.0 : 1.0);
  std::vector<double> scale(features, 1.0);
  std::vector<double> penalty(features, strength);
  for (std::size_t j = 0; j < features; ++j) {
    // Next to others that vary by far more, it might as well not vary.
    if (spread.variance[j] <= mean_variance * 1e-30) {
      scale[j] = 0.0;
      continue;
    }
    scale[j] = 1.0 / std::sqrt(spread.variance[j]);
    penalty[j] = strength * (mean_variance / spread.variance[j]);
  }
  LogisticMinimum minimum = minimise({.rows = rows,
                                      .places = places,
                                      .classes = std::ssize(classes),
                                      .mean = spread.mean,
                                      .scale = scale,
                                      .penalty = penalty,
                                      .weights = weights});
  for (std::size_t i = 0; i < minimum.weights.size(); ++i) {
    minimum.weights[i] *= scale[i % features];
    minimum.intercepts[i / features] -= minimum.weights[i] * spread.mean[i % features];
  }
  solution_ = {std::move(classes), std::move(minimum.weights), std::move(minimum.intercepts)};
  converged_ = minimum.converged;
  steps_ = minimum.steps;
}

std::vector<double> LogisticRegression::probabilities(std::span<const double> rows) const {
  if (!is_fitted()) throw ArgumentError("[LogisticRegression] has no solution yet; call fit first");
  const auto numbers = std::ssize(rows);
  if (numbers % features_ != 0) {
    fail<ShapeError>("[LogisticRegression] expected rows of {} features, got {} numbers", features_,
                     numbers);
  }
  const std::int64_t count = numbers / features_;
  const std::int64_t classes = std::ssize(solution_.classes);
  std::vector<double> result(static_cast<std::size_t>(count * classes));
  const Eigen::Map<const Rows> weights(solution_.weights.data(), classes, features_);
  const Eigen::Map<const Eigen::RowVectorXd> intercepts(solution_.intercepts.data(), classes);
  parallel_for((count + kRowsOfProbabilities - 1) / kRowsOfProbabilities, [&](std::int64_t task) {
    const std::int64_t first = task * kRowsOfProbabilities;
    const std::int64_t size = std::min(kRowsOfProbabilities, count - first);
    const Eigen::Map<const Rows> x(rows.data() + first * features_, size, features_);
    Eigen::Map<Rows> p(result.data() + first * classes, size, classes);
    p.noalias() = x * weights.transpose();
    p.rowwise() += intercepts;
    for (std::int64_t i = 0; i < size; ++i) {
      p.row(i).array() = (p.row(i).array() - p.row(i).maxCoeff()).exp();
      p.row(i) /= p.row(i).sum();
    }
  });
  return result;
}

void LogisticRegression::set_solution(const LogisticSolution& solution) {
  const std::size_t classes = solution.classes.size();
  const auto features = static_cast<std::size_t>(features_);
  if (classes == 0 || solution.intercepts.size() != classes ||
      solution.weights.size() != classes * features) {
    fail<ShapeError>(
        "[LogisticRegression] expected classes, an intercept for each and weights [classes, {}], "
        "got {} classes, {} intercepts and {} weights",
        features_, classes, solution.intercepts.size(), solution.weights.size());
  }
  if (std::adjacent_find(solution.classes.begin(), solution.classes.end(),
                         std::greater_equal<>()) != solution.classes.end()) {
    throw ArgumentError("[LogisticRegression] expected the codes of classes to rise");
  }
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(solution.weights.begin(), solution.weights.end(), finite) ||
      !std::all_of(solution.intercepts.begin(), solution.intercepts.end(), finite)) {
    throw ArgumentError("[LogisticRegression] expected finite weights and intercepts");
  }
  solution_ = solution;
  converged_ = true;
  steps_ = 0;
}

}  // namespace gaia
