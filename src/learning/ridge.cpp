// SPDX-License-Identifier: MIT
#include "ridge.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "../array/create.h"
#include "../core/message.h"
#include "../core/names.h"
#include "../core/state_fields.h"
#include "finite_rows.h"
#include "scatter.h"

namespace gaia {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<Eigen::VectorXd> vector_of(std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

constexpr NameTable<RidgeSolver, 3> kSolvers = {
    {{"auto", RidgeSolver::automatic},
     {"normal_equations", RidgeSolver::normal_equations},
     {"qr", RidgeSolver::qr}}};

// A notice is due where the error would be so many times smaller, of as many rows a feature.
constexpr double kMuchSmaller = 10.0;
constexpr std::int64_t kRowsOfFeature = 4;

}  // namespace

std::string to_string(RidgeSolver solver) { return name_of(kSolvers, solver); }

RidgeSolver ridge_solver_from_name(std::string_view name) {
  return from_name(kSolvers, name, "solver");
}

std::unique_ptr<ReadoutModel> RidgeOptions::make(const ReadoutSizes& sizes) const {
  return std::make_unique<RidgeRegression>(sizes.features, *this, sizes.targets, sizes.intercept);
}

RidgeRegression::RidgeRegression(std::int64_t features, const RidgeOptions& options,
                                 std::int64_t targets, bool intercept)
    : features_(features),
      targets_(targets),
      ridge_(options.ridge),
      intercept_(intercept),
      mean_(static_cast<std::size_t>(features)),
      target_means_(static_cast<std::size_t>(targets)),
      intercepts_(static_cast<std::size_t>(targets)) {
  if (options.by_qr()) {
    triangle_.emplace((intercept ? 1 : 0) + features + targets);
    return;
  }
  scatter_.resize(static_cast<std::size_t>(features * features));
  target_scatter_.resize(static_cast<std::size_t>(targets));
  cross_scatter_.resize(static_cast<std::size_t>(targets * features));
}

void RidgeRegression::add(const Array& features, const Array& targets) {
  const bool fit =
      targets.rank() == (targets_ == 1 ? 1 : 2) && (targets_ == 1 || targets.shape(1) == targets_);
  if (features.rank() != 2 || features.shape(1) != features_ || !fit ||
      targets.shape(0) != features.shape(0)) {
    fail<ShapeError>(
        "[RidgeRegression] expected features [rows, {}] and targets [rows{}], got {} and {}",
        features_, targets_ == 1 ? "" : ", " + std::to_string(targets_), features.shape(),
        targets.shape());
  }
  add(features.to_vector<double>(), targets.to_vector<double>());
}

Array RidgeRegression::predict(const Array& features) {
  if (features.rank() != 2 || features.shape(1) != features_) {
    fail<ShapeError>("[RidgeRegression] expected features [rows, {}], got {}", features_,
                     features.shape());
  }
  const std::vector<double> predictions = predict(features.to_vector<double>());
  return targets_ == 1 ? from_values(predictions, {features.shape(0)})
                       : from_values(predictions, {features.shape(0), targets_});
}

void RidgeRegression::add(std::span<const double> features, std::span<const double> targets) {
  const auto rows = static_cast<Eigen::Index>(targets.size()) / targets_;
  if (static_cast<std::int64_t>(features.size()) != rows * features_ ||
      static_cast<std::int64_t>(targets.size()) != rows * targets_) {
    fail<ShapeError>("[RidgeRegression] {} targets need {} numbers of features, got {}",
                     targets.size(), rows * features_, features.size());
  }
  if (rows == 0) return;
  expect_finite_rows("RidgeRegression", "feature", features, features_);
  expect_finite_rows("RidgeRegression", "target", targets, targets_);
  const Eigen::Map<const Rows> x(features.data(), rows, features_);
  const Eigen::Map<const Rows> all_targets(targets.data(), rows, targets_);
  if (triangle_) {
    const Eigen::Index columns = triangle_->columns();
    if (first_row_.empty() && intercept_) {
      first_row_.assign(features.begin(), features.begin() + features_);
      first_row_.insert(first_row_.end(), targets.begin(), targets.begin() + targets_);
    } else if (first_row_.empty()) {
      first_row_.resize(static_cast<std::size_t>(features_ + targets_));
    }
    Rows beside(rows, columns);
    beside.col(0).setOnes();
    beside.middleCols(columns - features_ - targets_, features_) = x;
    beside.rightCols(targets_) = all_targets;
    beside.rightCols(features_ + targets_).rowwise() -= vector_of(first_row_).transpose();
    triangle_->add({beside.data(), static_cast<std::size_t>(beside.size())});
    count_ += rows;
    if (intercept_) return;
    Eigen::Map<Eigen::RowVectorXd> means(target_means_.data(), targets_);
    means += (all_targets.colwise().mean() - means) * static_cast<double>(rows) /
             static_cast<double>(count_);
    return;
  }
  const auto before = static_cast<double>(count_);
  const auto added = static_cast<double>(rows);
  const double weight = before * added / (before + added);
  const double share = added / (before + added);
  Eigen::RowVectorXd block_mean = x.colwise().mean();
  if (!intercept_) block_mean.setZero();
  const Rows centred = x.rowwise() - block_mean;
  const Eigen::RowVectorXd block_target = all_targets.colwise().mean();
  const Rows residual = intercept_ ? Rows(all_targets.rowwise() - block_target) : Rows(all_targets);
  const auto numbers_of = [](const Rows& matrix) {
    return std::span(matrix.data(), static_cast<std::size_t>(matrix.size()));
  };
  add_scatter(numbers_of(centred), features_, scatter_);
  add_cross(numbers_of(residual), targets_, numbers_of(centred), features_, cross_scatter_);

  Eigen::Map<Eigen::RowVectorXd> mean(mean_.data(), features_);
  Eigen::Map<Eigen::RowVectorXd> target_mean(target_means_.data(), targets_);
  const Eigen::RowVectorXd step = block_mean - mean;
  const Eigen::RowVectorXd target_step = block_target - target_mean;
  Eigen::Map<Rows> scatter(scatter_.data(), features_, features_);
  scatter.selfadjointView<Eigen::Lower>().rankUpdate(step.transpose(), weight);
  Eigen::Map<Rows>(cross_scatter_.data(), targets_, features_).noalias() +=
      (weight * target_step.transpose()) * step;
  Eigen::Map<Eigen::RowVectorXd>(target_scatter_.data(), targets_) +=
      residual.colwise().squaredNorm() + (intercept_ ? weight : 0.0) * target_step.cwiseAbs2();
  mean += step * share;
  target_mean += target_step * share;
  count_ += rows;
}

void RidgeRegression::solve(double ridge) {
  weights_.resize(static_cast<std::size_t>(targets_ * features_));
  triangle_ ? solve_by_qr(ridge) : solve_by_normal_equations(ridge);
  smaller_ridge_ = 0.0;
  if (triangle_ || ridge <= kLeastByNormalEquations || count_ < kRowsOfFeature * features_) return;
  const double error = training_error(weights_);
  RidgeRegression other(features_, {.solver = RidgeSolver::normal_equations}, targets_);
  other.scatter_ = scatter_;
  other.cross_scatter_ = cross_scatter_;
  other.weights_.resize(weights_.size());
  other.solve_by_normal_equations(kLeastByNormalEquations);
  const double least = training_error(other.weights_);
  if (!(error > kMuchSmaller * kMuchSmaller * least)) return;
  smaller_ridge_ = kLeastByNormalEquations;
  // What is left below is of the sums' last digits.
  gain_ = std::sqrt(error / std::max(least, std::numeric_limits<double>::epsilon()));
  if (gain_ < kMuchSmaller) smaller_ridge_ = 0.0;
}

std::vector<std::string> RidgeRegression::notices() const {
  if (smaller_ridge_ == 0.0) return {};
  return {message(
      "ridge {}, not noise, limits its error: with {} that of the training part is {} times "
      "smaller, and a ridge below that, by QR, may be better still; validation shows whether it "
      "pays",
      ridge_, smaller_ridge_, std::llround(gain_))};
}

double RidgeRegression::training_error(const std::vector<double>& all_weights) const {
  const Eigen::Map<const Rows> scatter(scatter_.data(), features_, features_);
  const Eigen::Map<const Rows> weights(all_weights.data(), targets_, features_);
  const Eigen::Map<const Rows> cross(cross_scatter_.data(), targets_, features_);
  double error = 0.0;
  for (Eigen::Index k = 0; k < targets_; ++k) {
    const double variance = target_scatter_[static_cast<std::size_t>(k)];
    if (variance <= 0.0) continue;
    const Eigen::VectorXd w = weights.row(k);
    const Eigen::VectorXd covered = scatter.selfadjointView<Eigen::Lower>() * w;
    error += std::max(variance - 2.0 * w.dot(cross.row(k)) + w.dot(covered), 0.0) / variance;
  }
  return error / static_cast<double>(targets_);
}

void RidgeRegression::solve_by_normal_equations(double ridge) {
  Rows normal = Eigen::Map<const Rows>(scatter_.data(), features_, features_);
  const double mean_scatter = normal.trace() / static_cast<double>(features_);
  // A little is always added, so that silent neurons do not make the matrix singular.
  const double least = std::numeric_limits<double>::epsilon() * static_cast<double>(features_);
  normal.diagonal().array() += std::max(ridge, least) * (mean_scatter > 0.0 ? mean_scatter : 1.0);
  const auto decomposed = normal.selfadjointView<Eigen::Lower>().llt();
  for (std::int64_t k = 0; k < targets_; ++k) {
    const Eigen::Map<Eigen::VectorXd> cross(cross_scatter_.data() + k * features_, features_);
    Eigen::Map<Eigen::VectorXd> weights(weights_.data() + k * features_, features_);
    weights = decomposed.solve(cross);
    const auto i = static_cast<std::size_t>(k);
    intercepts_[i] = intercept_ ? target_means_[i] - weights.dot(vector_of(mean_)) : 0.0;
  }
}

void RidgeRegression::solve_by_qr(double ridge) {
  const std::vector<double> numbers = triangle_->triangle();
  const Eigen::Index columns = triangle_->columns();
  const Eigen::Map<const Rows> triangle(numbers.data(), columns, columns);
  // Without the column of ones, if there is one, rows are those of what is left beside its mean.
  const Eigen::Index ones = columns - features_ - targets_;
  const Eigen::MatrixXd centred = triangle.block(ones, ones, features_, features_);
  const Eigen::MatrixXd targets = triangle.block(ones, ones + features_, features_, targets_);
  const double added = ridge * centred.squaredNorm() / static_cast<double>(features_);
  Eigen::MatrixXd found;
  if (added > 0.0) {
    Eigen::MatrixXd both(2 * features_, features_);
    both << centred, std::sqrt(added) * Eigen::MatrixXd::Identity(features_, features_);
    Eigen::MatrixXd wanted(2 * features_, targets_);
    wanted << targets, Eigen::MatrixXd::Zero(features_, targets_);
    found = both.householderQr().solve(wanted);
  } else {
    found = centred.completeOrthogonalDecomposition().solve(targets);
  }
  Eigen::Map<Rows>(weights_.data(), targets_, features_) = found.transpose();
  if (!intercept_) return;
  const Eigen::RowVectorXd means =
      count_ == 0
          ? Eigen::RowVectorXd::Zero(columns - 1).eval()
          : (triangle.row(0).tail(columns - 1) / triangle(0, 0) + vector_of(first_row_).transpose())
                .eval();
  Eigen::Map<Eigen::RowVectorXd>(mean_.data(), features_) = means.head(features_);
  Eigen::Map<Eigen::RowVectorXd>(target_means_.data(), targets_) = means.tail(targets_);
  Eigen::Map<Eigen::RowVectorXd>(intercepts_.data(), targets_) =
      means.tail(targets_) - means.head(features_) * found;
}

void RidgeRegression::set_solution(const ReadoutSolution& solution) {
  if (static_cast<std::int64_t>(solution.weights.size()) != targets_ * features_ ||
      solution.intercepts.size() != intercepts_.size() ||
      solution.target_means.size() != target_means_.size()) {
    fail<ShapeError>("[RidgeRegression] expected {} weights, got {}", targets_ * features_,
                     solution.weights.size());
  }
  weights_ = solution.weights;
  intercepts_ = solution.intercepts;
  target_means_ = solution.target_means;
}

void RidgeRegression::fields(auto& self, auto& state) {
  const auto features = static_cast<std::size_t>(self.features_);
  const auto targets = static_cast<std::size_t>(self.targets_);
  bool is_solved = self.is_solved();
  state(self.count_, is_solved, self.smaller_ridge_, self.gain_, self.mean_, self.target_means_,
        self.scatter_, self.target_scatter_, self.cross_scatter_, self.intercepts_);
  state.numbers(self.weights_, is_solved ? targets : 0, features);
  state.numbers(self.first_row_, self.triangle_ && self.count_ > 0 ? features + targets : 0);
  if (self.triangle_) state.rest(*self.triangle_);
}

std::vector<double> RidgeRegression::state() const { return StateFields::of(*this); }

void RidgeRegression::set_state(std::span<const double> state) {
  StateFields::set(*this, "RidgeRegression", state);
}

std::vector<double> RidgeRegression::predict(std::span<const double> features) {
  const auto rows = static_cast<Eigen::Index>(features.size()) / features_;
  const Eigen::Map<const Rows> x(features.data(), rows, features_);
  std::vector<double> predictions(static_cast<std::size_t>(rows * targets_));
  Eigen::Map<Rows> predicted(predictions.data(), rows, targets_);
  for (std::int64_t k = 0; k < targets_; ++k) {
    const Eigen::Map<const Eigen::VectorXd> w(weights_.data() + k * features_, features_);
    predicted.col(k) = (x * w).array() + intercepts_[static_cast<std::size_t>(k)];
  }
  return predictions;
}

}  // namespace gaia
