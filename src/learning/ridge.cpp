// SPDX-License-Identifier: MIT
#include "ridge.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <string>

#include "../array/create.h"
#include "../core/message.h"
#include "finite_rows.h"
#include "scatter.h"

namespace gaia {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<Eigen::VectorXd> vector_of(std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace

std::unique_ptr<ReadoutModel> RidgeOptions::make(const ReadoutSizes& sizes) const {
  return std::make_unique<RidgeRegression>(sizes.features, *this, sizes.targets);
}

RidgeRegression::RidgeRegression(std::int64_t features, const RidgeOptions& options,
                                 std::int64_t targets)
    : features_(features),
      targets_(targets),
      ridge_(options.ridge),
      mean_(static_cast<std::size_t>(features)),
      target_means_(static_cast<std::size_t>(targets)),
      scatter_(static_cast<std::size_t>(features * features)),
      cross_scatter_(static_cast<std::size_t>(targets * features)),
      intercepts_(static_cast<std::size_t>(targets)) {}

void RidgeRegression::add(const Array& features, const Array& targets) {
  const bool fit = targets.rank() == (targets_ == 1 ? 1 : 2) &&
                   (targets_ == 1 || targets.shape(1) == targets_);
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
  const auto before = static_cast<double>(count_);
  const auto added = static_cast<double>(rows);
  const double weight = before * added / (before + added);
  const double share = added / (before + added);
  const Eigen::RowVectorXd block_mean = x.colwise().mean();
  const Rows centred = x.rowwise() - block_mean;
  const Eigen::RowVectorXd block_target = all_targets.colwise().mean();
  const Rows residual = all_targets.rowwise() - block_target;
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
  mean += step * share;
  target_mean += target_step * share;
  count_ += rows;
}

void RidgeRegression::solve(double ridge) {
  Rows normal = Eigen::Map<const Rows>(scatter_.data(), features_, features_);
  const double mean_scatter = normal.trace() / static_cast<double>(features_);
  // A little is always added, so that silent neurons do not make the matrix singular.
  const double least = std::numeric_limits<double>::epsilon() * static_cast<double>(features_);
  normal.diagonal().array() += std::max(ridge, least) * (mean_scatter > 0.0 ? mean_scatter : 1.0);
  weights_.resize(static_cast<std::size_t>(targets_ * features_));
  const auto decomposed = normal.selfadjointView<Eigen::Lower>().llt();
  for (std::int64_t k = 0; k < targets_; ++k) {
    const Eigen::Map<Eigen::VectorXd> cross(cross_scatter_.data() + k * features_, features_);
    Eigen::Map<Eigen::VectorXd> weights(weights_.data() + k * features_, features_);
    weights = decomposed.solve(cross);
    const auto i = static_cast<std::size_t>(k);
    intercepts_[i] = target_means_[i] - weights.dot(vector_of(mean_));
  }
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

std::vector<double> RidgeRegression::state() const {
  std::vector<double> state = {static_cast<double>(count_), is_solved() ? 1.0 : 0.0};
  for (const auto* part :
       {&mean_, &target_means_, &scatter_, &cross_scatter_, &intercepts_, &weights_}) {
    state.insert(state.end(), part->begin(), part->end());
  }
  return state;
}

void RidgeRegression::set_state(std::span<const double> state) {
  const bool solved = state.size() > 1 && state[1] != 0.0;
  const std::size_t expected = 2 + mean_.size() + target_means_.size() + scatter_.size() +
                               cross_scatter_.size() + intercepts_.size() +
                               (solved ? cross_scatter_.size() : 0);
  if (state.size() != expected) {
    fail<ShapeError>("[RidgeRegression] expected a state of {} numbers, got {}", expected,
                     state.size());
  }
  count_ = static_cast<std::int64_t>(state[0]);
  weights_.resize(solved ? cross_scatter_.size() : 0);
  const double* from = state.data() + 2;
  for (auto* part :
       {&mean_, &target_means_, &scatter_, &cross_scatter_, &intercepts_, &weights_}) {
    std::copy_n(from, part->size(), part->begin());
    from += part->size();
  }
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
