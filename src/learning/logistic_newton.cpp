// SPDX-License-Identifier: MIT
#include "logistic_newton.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "../core/parallel.h"
#include "covariance.h"

namespace gaia {
namespace {

using Eigen::Index;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index kMostChunks = 16;   // sums over rows that are made side by side
constexpr Index kBlock = 128;       // rows that are standardised at a time, to stay in the cache
constexpr Index kMostWhole = 2048;  // features for which C is worth its price
constexpr int kMostSteps = 200;
constexpr int kMostProducts = 1000;  // with the Hessian, for one step

/// [classes, features + 1]: weights, and an intercept in the last column.
using Point = Rows;

double dot(const Point& a, const Point& b) { return a.cwiseProduct(b).sum(); }

class SoftmaxLoss {
 public:
  explicit SoftmaxLoss(const LogisticProblem& problem)
      : problem_(problem),
        rows_(std::ssize(problem.places)),
        features_(std::ssize(problem.mean)),
        mean_(problem.mean.data(), features_),
        scale_(problem.scale.data(), features_),
        penalty_(problem.penalty.data(), features_) {
    const Index blocks = (rows_ + kBlock - 1) / kBlock;
    chunks_ = std::min(kMostChunks, blocks);
    blocks_of_chunk_ = (blocks + chunks_ - 1) / chunks_;
    sums_.assign(static_cast<std::size_t>(chunks_), Point(problem.classes, features_ + 1));
  }

  Index features() const { return features_; }

  /// Value and gradient at a point, which products refer to from now on.
  double move_to(const Point& point, Point& gradient, Rows& probabilities) {
    std::vector<double> losses(static_cast<std::size_t>(chunks_));
    probabilities.resize(rows_, problem_.classes);
    sum_over_rows(gradient, [&](Index chunk, Index first, const Rows& x, Rows& slope) {
      slope.noalias() = x * point.leftCols(features_).transpose();
      slope.rowwise() += point.col(features_).transpose();
      for (Index i = 0; i < x.rows(); ++i) {
        auto row = slope.row(i);
        const Index place = problem_.places[static_cast<std::size_t>(first + i)];
        row.array() -= row.maxCoeff();
        const double own = row[place];
        row = row.array().exp().matrix();
        const double sum = row.sum();
        losses[static_cast<std::size_t>(chunk)] += std::log(sum) - own;
        row /= sum;
        probabilities.row(first + i) = row;
        row[place] -= 1.0;
      }
    });
    double loss = 0.0;
    for (const double part : losses) loss += part;
    add_penalty(point, gradient);
    const auto weights = point.leftCols(features_);
    return loss / static_cast<double>(rows_) +
           0.5 * (weights.cwiseProduct(weights) * penalty_).sum();
  }

  /// The Hessian at the point with these probabilities, times `direction`.
  void multiply(const Rows& probabilities, const Point& direction, Point& product) {
    sum_over_rows(product, [&](Index /*chunk*/, Index first, const Rows& x, Rows& slope) {
      slope.noalias() = x * direction.leftCols(features_).transpose();
      slope.rowwise() += direction.col(features_).transpose();
      const auto p = probabilities.middleRows(first, x.rows());
      const Eigen::VectorXd means = p.cwiseProduct(slope).rowwise().sum();
      slope.colwise() -= means;
      slope = slope.cwiseProduct(p);
    });
    add_penalty(direction, product);
  }

  /// The covariance of the standardised features, of a part of the rows that tells it well enough.
  Eigen::MatrixXd covariance() const {
    const Index wanted = std::max<Index>(2048, 4 * features_);
    const Index blocks = (rows_ + kBlock - 1) / kBlock;
    const Index stride = std::max<Index>(1, rows_ / wanted);
    Covariance covariance(features_);
    for (Index block = 0; block < blocks; block += stride) {
      const Rows x = standardised(block * kBlock);
      covariance.add(std::span(x.data(), static_cast<std::size_t>(x.size())));
    }
    const std::vector<double> matrix = covariance.matrix();
    return Eigen::Map<const Eigen::MatrixXd>(matrix.data(), features_, features_);
  }

 private:
  Rows standardised(Index first) const {
    const Index size = std::min(kBlock, rows_ - first);
    const Eigen::Map<const Rows> raw(problem_.rows.data() + first * features_, size, features_);
    return (raw.rowwise() - mean_).array().rowwise() * scale_.array();
  }

  /// sum_i slope_i (x_i, 1)^T / rows, where `slopes(chunk, first, x, slope)` sets the slopes [rows
  /// of x, classes] of the rows of x, which begin at `first`.
  template <class Slopes>
  void sum_over_rows(Point& sum, const Slopes& slopes) {
    parallel_for(chunks_, [&](std::int64_t chunk) {
      Point& own = sums_[static_cast<std::size_t>(chunk)];
      own.setZero();
      const Index begin = chunk * blocks_of_chunk_ * kBlock;
      const Index end = std::min(rows_, begin + blocks_of_chunk_ * kBlock);
      Rows slope;
      for (Index first = begin; first < end; first += kBlock) {
        const Rows x = standardised(first);
        slope.resize(x.rows(), problem_.classes);
        slopes(chunk, first, x, slope);
        own.leftCols(features_).noalias() += slope.transpose() * x;
        own.col(features_) += slope.colwise().sum().transpose();
      }
    });
    sum = sums_[0];
    for (std::size_t i = 1; i < sums_.size(); ++i) sum += sums_[i];
    sum /= static_cast<double>(rows_);
  }

  void add_penalty(const Point& point, Point& slope) const {
    slope.leftCols(features_).array() +=
        point.leftCols(features_).array().rowwise() * penalty_.transpose().array();
  }

  const LogisticProblem& problem_;
  Index rows_;
  Index features_;
  Index chunks_ = 1;
  Index blocks_of_chunk_ = 1;
  Eigen::Map<const Eigen::RowVectorXd> mean_;
  Eigen::Map<const Eigen::RowVectorXd> scale_;
  Eigen::Map<const Eigen::VectorXd> penalty_;
  std::vector<Point> sums_;
};

/// What stands in for the inverse of the Hessian: that of c C + diag(penalty), and 1/c for
/// intercepts.
class Preconditioner {
 public:
  Preconditioner(const SoftmaxLoss& loss, std::span<const double> penalty)
      : penalty_(Eigen::Map<const Eigen::VectorXd>(penalty.data(), std::ssize(penalty))),
        whole_(loss.features() <= kMostWhole) {
    if (whole_) covariance_ = loss.covariance();
  }

  void set(double curvature) {
    curvature_ = curvature;
    if (!whole_) return;
    Eigen::MatrixXd matrix = curvature * covariance_;
    matrix.diagonal() += penalty_;
    factor_.compute(matrix);
    // With next to no penalty rounding can make it indefinite.
    usable_ = factor_.info() == Eigen::Success;
  }

  Point apply(const Point& gradient) const {
    const Index features = penalty_.size();
    Point result(gradient.rows(), gradient.cols());
    if (whole_ && usable_) {
      result.leftCols(features) =
          factor_.solve(gradient.leftCols(features).transpose()).transpose();
    } else {
      result.leftCols(features) = gradient.leftCols(features).array().rowwise() /
                                  (penalty_.array() + curvature_).transpose();
    }
    result.col(features) = gradient.col(features) / curvature_;
    return result;
  }

 private:
  Eigen::VectorXd penalty_;
  bool whole_;
  bool usable_ = false;
  double curvature_ = 1.0;
  Eigen::MatrixXd covariance_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

/// Solves H step = -gradient by conjugate gradients until what is left of the gradient is `share`
/// of it, in the measure of the preconditioner.
Point newton_step(SoftmaxLoss& loss, const Rows& probabilities, const Preconditioner& inverse,
                  const Point& gradient, double share) {
  Point step = Point::Zero(gradient.rows(), gradient.cols());
  Point left = gradient;
  Point guess = inverse.apply(left);
  double size = dot(left, guess);
  const double enough = size * share * share;
  Point direction = -guess;
  Point product;
  for (int i = 0; i < kMostProducts && size > enough; ++i) {
    loss.multiply(probabilities, direction, product);
    const double curvature = dot(direction, product);
    // Not above 0 by rounding alone: there is nothing more to be found.
    if (!(curvature > 0.0)) break;
    const double length = size / curvature;
    step += length * direction;
    left += length * product;
    guess = inverse.apply(left);
    const double next = dot(left, guess);
    direction = (next / size) * direction - guess;
    size = next;
  }
  return step;
}

}  // namespace

LogisticMinimum minimise(const LogisticProblem& problem) {
  SoftmaxLoss loss(problem);
  const Index features = loss.features();
  const Index classes = problem.classes;
  Preconditioner inverse(loss, problem.penalty);
  const double least_penalty = *std::min_element(problem.penalty.begin(), problem.penalty.end());

  // From the shares of the classes, which are the solution where features say nothing.
  Point point = Point::Zero(classes, features + 1);
  for (const std::int64_t place : problem.places) point(place, features) += 1.0;
  point.col(features) = point.col(features).array().log().matrix();
  point.col(features).array() -= point.col(features).mean();

  Point gradient;
  Rows probabilities;
  double value = loss.move_to(point, gradient, probabilities);
  Point next_gradient;
  Rows next_probabilities;
  LogisticMinimum result;
  double least_size = HUGE_VAL;
  int without_gain = 0;
  for (; result.steps < kMostSteps; ++result.steps) {
    const double curvature = (probabilities.array() * (1.0 - probabilities.array())).mean();
    inverse.set(std::max(curvature, 1e-12));
    // About the distance from the minimum, in units in which the loss has a slope of 1.
    const double size = std::sqrt(std::max(0.0, dot(gradient, inverse.apply(gradient))));
    // Small enough for seven digits of the weights, also where the penalty alone holds them.
    const double norm = std::max(1.0, point.norm());
    if (size <= 1e-7 * norm * std::sqrt(std::min(1.0, least_penalty))) {
      result.converged = true;
      break;
    }
    // Rounding ends it for the smallest penalties: seen by steps that bring nothing any more.
    without_gain = size < 0.5 * least_size ? 0 : without_gain + 1;
    least_size = std::min(size, least_size);
    if (without_gain >= 5 && size < 1e-6 * norm) {
      result.converged = true;
      break;
    }
    const Point step =
        newton_step(loss, probabilities, inverse, gradient, std::min(0.1, std::sqrt(size)));
    const double slope = dot(gradient, step);
    double length = 1.0;
    double next = 0.0;
    Point trial;
    for (int halvings = 0; halvings < 30; ++halvings, length *= 0.5) {
      trial = point + length * step;
      next = loss.move_to(trial, next_gradient, next_probabilities);
      // Close to the minimum the change of the loss drowns in its rounding.
      const double rounding = 1e-14 * (1.0 + std::abs(value));
      if (next <= value + 1e-4 * length * slope + rounding) break;
    }
    point = std::move(trial);
    value = next;
    std::swap(gradient, next_gradient);
    std::swap(probabilities, next_probabilities);
  }

  // The probabilities do not change with what all classes have in common.
  const Eigen::RowVectorXd common = point.colwise().mean();
  point.rowwise() -= common;
  result.weights.resize(static_cast<std::size_t>(classes * features));
  Eigen::Map<Rows>(result.weights.data(), classes, features) = point.leftCols(features);
  result.intercepts.resize(static_cast<std::size_t>(classes));
  Eigen::Map<Eigen::VectorXd>(result.intercepts.data(), classes) = point.col(features);
  return result;
}

}  // namespace gaia
