// SPDX-License-Identifier: MIT
#include "logistic_newton.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "../array/array.h"
#include "../array/device.h"
#include "../array/ops.h"
#include "../core/parallel.h"
#include "covariance.h"
#include "scatter.h"

namespace gaia {
namespace {

using Eigen::Index;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index kMostChunks = 16;   // sums over rows that are computed side by side
constexpr Index kBlock = 512;       // rows of a product, which stay in the cache for the next one
constexpr Index kMostWhole = 2048;  // features for which C is worth its price
constexpr int kMostSteps = 200;
constexpr int kMostProducts = 1000;  // with the Hessian, for one step
constexpr int kManyProducts = 15;    // after which blocks of the Hessian pay
constexpr int kBlocksLast = 100;     // products, before blocks are worth it anew
constexpr int kIdleProducts = 15;    // products of floats that brought it no closer by half
constexpr Index kMostNumbers = Index{1} << 24;  // numbers of all blocks: 128 MiB
constexpr double kLeastShare = 0.01;            // share of the mean curvature for a row to count

/// [classes, features + 1]: weights, and an intercept in the last column.
using Point = Rows;

double dot(const Point& a, const Point& b) { return a.cwiseProduct(b).sum(); }

/// What a block of rows shows, [classes, rows of the block], in T.
template <class T>
using Block = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Slopes and gradient are sums of doubles.  The Hessian only says where to look for the minimum,
/// so its products are those of floats, which are twice as fast, as long as they bring it closer.
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
    floats_.resize(static_cast<std::size_t>(blocks));
  }

  Index features() const { return features_; }

  /// Value and gradient at a point.  Products with the Hessian refer to the last one.
  double move_to(const Point& point, Point& gradient) {
    std::vector<double> losses(static_cast<std::size_t>(chunks_));
    next_.resize(static_cast<std::size_t>(rows_ * problem_.classes));
    sum_over_rows<double>(
        point, gradient, [&](Index chunk, Index first, Eigen::Map<Block<double>> slope) {
          const Index size = slope.cols();
          const Eigen::Array<double, 1, Eigen::Dynamic> largest = slope.colwise().maxCoeff();
          slope.array().rowwise() -= largest;
          double& loss = losses[static_cast<std::size_t>(chunk)];
          for (Index i = 0; i < size; ++i) {
            loss -= weight_of(first + i) * slope(place_of(first + i), i);
          }
          slope.array() = slope.array().exp();
          const Eigen::Array<double, 1, Eigen::Dynamic> sum = slope.colwise().sum();
          loss +=
              is_weighted() ? (sum.log() * weights_of<double>(first, size)).sum() : sum.log().sum();
          slope.array().rowwise() /= sum;
          Eigen::Map<Block<double>>(next_.data() + first * problem_.classes, problem_.classes,
                                    size) = slope;
          for (Index i = 0; i < size; ++i) slope(place_of(first + i), i) -= 1.0;
          if (is_weighted()) slope.array().rowwise() *= weights_of<double>(first, size);
        });
    double loss = 0.0;
    for (const double part : losses) loss += part;
    add_penalty(point, gradient);
    const auto weights = point.leftCols(features_);
    return loss / static_cast<double>(rows_) +
           0.5 * (weights.cwiseProduct(weights) * penalty_).sum();
  }

  /// Makes the point that was moved to last the one whose Hessian is multiplied.
  /// \return the mean of p (1 - p) there.
  double stay() {
    std::swap(probabilities_, next_);
    double curvature = 0.0;
    for (const double p : probabilities_) curvature += p * (1.0 - p);
    return curvature / static_cast<double>(probabilities_.size());
  }

  /// The Hessian at the point where it stays, times `direction`, by products of T.
  template <class T>
  void multiply(const Point& direction, Point& product) {
    sum_over_rows<T>(
        direction, product, [&](Index /*chunk*/, Index first, Eigen::Map<Block<T>> slope) {
          const Eigen::Map<const Block<double>> p(probabilities_.data() + first * problem_.classes,
                                                  problem_.classes, slope.cols());
          const Block<T> shares = p.template cast<T>();
          const Eigen::Array<T, 1, Eigen::Dynamic> means =
              (shares.array() * slope.array()).colwise().sum();
          slope.array().rowwise() -= means;
          slope.array() *= shares.array();
          if (is_weighted()) slope.array().rowwise() *= weights_of<T>(first, slope.cols());
        });
    add_penalty(direction, product);
  }

  /// The block of the Hessian that belongs to one class where it stays, the sum over rows i of
  /// w_i p_i (1 - p_i) (x_i, 1) (x_i, 1)^T: [features + 1, features + 1], the lower part, without
  /// the penalty.  Rows with next to no part in it, which are most of them near the minimum, are
  /// left out.
  std::vector<double> hessian_of_class(Index place) const {
    double sum = 0.0;
    for_each_curvature(place, [&](Index /*row*/, double curvature) { sum += curvature; });
    const double least = kLeastShare * sum / static_cast<double>(rows_);
    const Index size = features_ + 1;
    std::vector<double> scatter(static_cast<std::size_t>(size * size));
    std::vector<float> rows;
    const auto flush = [&] {
      add_scatter(std::span<const float>(rows), size, scatter);
      rows.clear();
    };
    for_each_curvature(place, [&](Index row, double curvature) {
      if (curvature < least) return;
      const double share = std::sqrt(curvature / static_cast<double>(rows_));
      const double* raw = problem_.rows.data() + row * features_;
      for (Index i = 0; i < features_; ++i) {
        rows.push_back(static_cast<float>(share * (raw[i] - mean_[i]) * scale_[i]));
      }
      rows.push_back(static_cast<float>(share));
      if (std::ssize(rows) >= kBlock * size) flush();
    });
    if (!rows.empty()) flush();
    return scatter;
  }

  /// The covariance of the standardised features, of a part of the rows that tells it well enough.
  Eigen::MatrixXd covariance() const {
    const Index wanted = std::max<Index>(2048, 4 * features_);
    const Index blocks = (rows_ + kBlock - 1) / kBlock;
    const Index stride = std::max<Index>(1, rows_ / wanted);
    Covariance covariance(features_);
    for (Index block = 0; block < blocks; block += stride) {
      const Array x = standardised<double>(block * kBlock);
      covariance.add(x.elements<double>());
    }
    const std::vector<double> matrix = covariance.matrix();
    return Eigen::Map<const Eigen::MatrixXd>(matrix.data(), features_, features_);
  }

 private:
  /// Calls `use(row, w p (1 - p))` with the probability of a class in each row, in order.
  template <class Use>
  void for_each_curvature(Index place, const Use& use) const {
    for (Index first = 0; first < rows_; first += kBlock) {
      const Index size = std::min(kBlock, rows_ - first);
      const double* p = probabilities_.data() + first * problem_.classes + place * size;
      for (Index i = 0; i < size; ++i) {
        use(first + i, weight_of(first + i) * (p[i] * (1.0 - p[i])));
      }
    }
  }

  bool is_weighted() const { return !problem_.weights.empty(); }
  /// How much a row counts.
  double weight_of(Index row) const {
    return is_weighted() ? problem_.weights[static_cast<std::size_t>(place_of(row))] : 1.0;
  }
  /// The same of `size` rows.
  template <class T>
  Eigen::Array<T, 1, Eigen::Dynamic> weights_of(Index first, Index size) const {
    Eigen::Array<T, 1, Eigen::Dynamic> weights(size);
    for (Index i = 0; i < size; ++i) weights[i] = static_cast<T>(weight_of(first + i));
    return weights;
  }

  Index place_of(Index row) const { return problem_.places[static_cast<std::size_t>(row)]; }

  /// The rows of the block that begins with `first`, [rows, features].
  template <class T>
  Array standardised(Index first) const {
    const Index size = std::min(kBlock, rows_ - first);
    Array x = Array::uninitialized({size, features_}, dtype_of<T>());
    const Eigen::Map<const Rows> raw(problem_.rows.data() + first * features_, size, features_);
    Eigen::Map<Block<T>>(x.elements<T>().data(), size, features_) =
        ((raw.rowwise() - mean_).array().rowwise() * scale_.array()).template cast<T>();
    return x;
  }

  /// The same, kept where they are floats, which are read again and again.
  template <class T>
  Array rows_of_block(Index first) {
    if constexpr (std::is_same_v<T, double>) {
      return standardised<double>(first);
    } else {
      std::optional<Array>& kept = floats_[static_cast<std::size_t>(first / kBlock)];
      if (!kept) kept = standardised<float>(first);
      return *kept;
    }
  }

  /// sum_i slope_i (x_i, 1)^T / rows, where `slopes(chunk, first, slope)` makes slopes of what
  /// `point` shows, V x_i + b for the rows x_i from `first` on: [classes, rows of the block].
  template <class T, class Slopes>
  void sum_over_rows(const Point& point, Point& sum, const Slopes& slopes) {
    Array weights = Array::uninitialized({problem_.classes, features_}, dtype_of<T>());
    Eigen::Map<Block<T>>(weights.elements<T>().data(), problem_.classes, features_) =
        point.leftCols(features_).template cast<T>();
    const Eigen::Matrix<T, Eigen::Dynamic, 1> intercepts = point.col(features_).template cast<T>();
    parallel_for(chunks_, [&](std::int64_t chunk) {
      const GPUContext task_on_host(Device::cpu());
      Point& own = sums_[static_cast<std::size_t>(chunk)];
      own.setZero();
      const Index begin = chunk * blocks_of_chunk_ * kBlock;
      const Index end = std::min(rows_, begin + blocks_of_chunk_ * kBlock);
      for (Index first = begin; first < end; first += kBlock) {
        const Array x = rows_of_block<T>(first);
        Array shown = matmul(weights, x.swapaxes(0, 1));
        Eigen::Map<Block<T>> slope(shown.elements<T>().data(), problem_.classes, x.shape()[0]);
        slope.colwise() += intercepts;
        slopes(chunk, first, slope);
        Array part = matmul(shown, x);
        own.leftCols(features_) +=
            Eigen::Map<Block<T>>(part.elements<T>().data(), problem_.classes, features_)
                .template cast<double>();
        own.col(features_) += slope.template cast<double>().rowwise().sum();
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
  std::vector<std::optional<Array>> floats_;  // blocks of standardised rows
  // Block by block [classes, rows of the block].
  std::vector<double> probabilities_;  // probabilities where it stays
  std::vector<double> next_;           // probabilities where it was moved to last
};

/// What stands in for the inverse of the Hessian.  At first that of c C + diag(penalty), C being
/// the covariance of the features, and 1/c for intercepts, which is the Hessian where features say
/// nothing; where that takes long, the inverses of the Hessian's blocks on the diagonal, one for
/// each class.
class Preconditioner {
 public:
  Preconditioner(const SoftmaxLoss& loss, const LogisticProblem& problem)
      : penalty_(
            Eigen::Map<const Eigen::VectorXd>(problem.penalty.data(), std::ssize(problem.penalty))),
        classes_(problem.classes),
        whole_(loss.features() <= kMostWhole) {
    if (whole_) covariance_ = loss.covariance();
  }

  /// Fits C's share to the mean curvature at the point where the loss stays.
  void set(double curvature) {
    curvature_ = curvature;
    if (!whole_ || !blocks_.empty()) return;
    Eigen::MatrixXd matrix = curvature * covariance_;
    matrix.diagonal() += penalty_;
    factor_.compute(matrix);
    // With next to no penalty rounding can make it indefinite.
    usable_ = factor_.info() == Eigen::Success;
  }

  /// Goes over to the blocks at the point where the loss stays, if there is room for them.  Those
  /// that it has stay where rounding makes a new one indefinite.
  void set_blocks(const SoftmaxLoss& loss) {
    const Index size = loss.features() + 1;
    if (!whole_ || classes_ * size * size > kMostNumbers) return;
    std::vector<Eigen::LLT<Eigen::MatrixXd>> blocks(static_cast<std::size_t>(classes_));
    for (Index place = 0; place < classes_; ++place) {
      const std::vector<double> hessian = loss.hessian_of_class(place);
      // Row by row the lower part is, column by column, the upper one of the same matrix.
      Eigen::MatrixXd matrix = Eigen::Map<const Rows>(hessian.data(), size, size);
      matrix.diagonal().head(size - 1) += penalty_;
      // What floats cannot tell from nothing.
      const double least = matrix.diagonal().maxCoeff() * 1e-7;
      matrix.diagonal().array() += least;
      blocks[static_cast<std::size_t>(place)].compute(matrix);
      if (blocks[static_cast<std::size_t>(place)].info() != Eigen::Success) return;
    }
    blocks_ = std::move(blocks);
  }

  Point apply(const Point& gradient) const {
    const Index features = penalty_.size();
    Point result(gradient.rows(), gradient.cols());
    if (!blocks_.empty()) {
      parallel_for(classes_, [&](std::int64_t place) {
        result.row(place) = blocks_[static_cast<std::size_t>(place)]
                                .solve(gradient.row(place).transpose())
                                .transpose();
      });
      const Eigen::RowVectorXd common = result.colwise().mean();
      result.rowwise() -= common;
      return result;
    }
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
  Index classes_;
  bool whole_;
  bool usable_ = false;
  double curvature_ = 1.0;
  Eigen::MatrixXd covariance_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  std::vector<Eigen::LLT<Eigen::MatrixXd>> blocks_;
};

/// Solves H step = -gradient by conjugate gradients until what is left of the gradient is `share`
/// of it, in the measure of the preconditioner, or until the rounding of floats leaves no gain.
/// `products` comes to how many it takes.
Point newton_step(SoftmaxLoss& loss, const Preconditioner& inverse, const Point& gradient,
                  double share, bool in_doubles, int& products) {
  Point step = Point::Zero(gradient.rows(), gradient.cols());
  Point left = gradient;
  Point guess = inverse.apply(left);
  double size = dot(left, guess);
  const double enough = size * share * share;
  Point direction = -guess;
  Point product;
  double halved = size;
  int halved_at = 0;
  for (products = 0; products < kMostProducts && size > enough; ++products) {
    if (size < 0.5 * halved) {
      halved = size;
      halved_at = products;
    }
    if (!in_doubles && products - halved_at > kIdleProducts) break;
    in_doubles ? loss.multiply<double>(direction, product)
               : loss.multiply<float>(direction, product);
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
  const GPUContext on_host(Device::cpu());
  SoftmaxLoss loss(problem);
  const Index features = loss.features();
  const Index classes = problem.classes;
  Preconditioner inverse(loss, problem);
  const double least_penalty = *std::min_element(problem.penalty.begin(), problem.penalty.end());

  // From the shares of the classes, which are the solution where features say nothing.
  Point point = Point::Zero(classes, features + 1);
  for (const std::int64_t place : problem.places) {
    point(place, features) +=
        problem.weights.empty() ? 1.0 : problem.weights[static_cast<std::size_t>(place)];
  }
  point.col(features) = point.col(features).array().log().matrix();
  point.col(features).array() -= point.col(features).mean();

  Point gradient;
  double value = loss.move_to(point, gradient);
  double curvature = loss.stay();
  Point next_gradient;
  LogisticMinimum result;
  double least_size = HUGE_VAL;
  int without_gain = 0;
  int products = 0;
  int blocks_from = 0;  // so many products in all
  for (; result.steps < kMostSteps; ++result.steps) {
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
    if (products > kManyProducts && result.products >= blocks_from) {
      inverse.set_blocks(loss);
      blocks_from = result.products + kBlocksLast;
    }
    const Point step = newton_step(loss, inverse, gradient, std::min(0.1, std::sqrt(size)),
                                   without_gain > 0 && size < 1e-5 * norm, products);
    result.products += products;
    const double slope = dot(gradient, step);
    double length = 1.0;
    double next = 0.0;
    Point trial;
    for (int halvings = 0; halvings < 30; ++halvings, length *= 0.5) {
      trial = point + length * step;
      next = loss.move_to(trial, next_gradient);
      // Close to the minimum the change of the loss drowns in its rounding.
      const double rounding = 1e-14 * (1.0 + std::abs(value));
      if (next <= value + 1e-4 * length * slope + rounding) break;
    }
    point = std::move(trial);
    value = next;
    std::swap(gradient, next_gradient);
    curvature = loss.stay();
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
