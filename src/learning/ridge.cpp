// SPDX-License-Identifier: MIT
#include "ridge.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <string>

#include "../array/create.h"
#include "../core/error.h"

namespace gaia {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<Eigen::VectorXd> vector_of(std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace

std::unique_ptr<ReadoutModel> RidgeOptions::make(std::int64_t features) const {
  return std::make_unique<RidgeRegression>(features, *this);
}

RidgeRegression::RidgeRegression(std::int64_t features, const RidgeOptions& options)
    : features_(features),
      ridge_(options.ridge),
      mean_(static_cast<std::size_t>(features)),
      scatter_(static_cast<std::size_t>(features * features)),
      cross_scatter_(static_cast<std::size_t>(features)) {}

void RidgeRegression::add(const Array& features, const Array& targets) {
  if (features.rank() != 2 || features.shape(1) != features_ || targets.rank() != 1 ||
      targets.shape(0) != features.shape(0)) {
    throw ShapeError("[RidgeRegression] expected features [rows, " + std::to_string(features_) +
                     "] and targets [rows], got " + to_string(features.shape()) + " and " +
                     to_string(targets.shape()));
  }
  add(features.to_vector<double>(), targets.to_vector<double>());
}

Array RidgeRegression::predict(const Array& features) const {
  if (features.rank() != 2 || features.shape(1) != features_) {
    throw ShapeError("[RidgeRegression] expected features [rows, " + std::to_string(features_) +
                     "], got " + to_string(features.shape()));
  }
  return from_values(predict(features.to_vector<double>()), {features.shape(0)});
}

void RidgeRegression::add(std::span<const double> features, std::span<const double> targets) {
  const auto rows = static_cast<Eigen::Index>(targets.size());
  if (static_cast<std::int64_t>(features.size()) != rows * features_) {
    throw ShapeError("[RidgeRegression] " + std::to_string(targets.size()) + " targets need " +
                     std::to_string(rows * features_) + " numbers of features, got " +
                     std::to_string(features.size()));
  }
  if (rows == 0) return;
  const Eigen::Map<const Rows> x(features.data(), rows, features_);
  const Eigen::Map<const Eigen::VectorXd> y(targets.data(), rows);
  Eigen::Map<Rows> scatter(scatter_.data(), features_, features_);
  Eigen::Map<Eigen::VectorXd> cross = vector_of(cross_scatter_);
  Eigen::Map<Eigen::VectorXd> mean = vector_of(mean_);

  const Eigen::VectorXd block_mean = x.colwise().mean().transpose();
  const double block_target = y.mean();
  const Eigen::MatrixXd centred = x.rowwise() - block_mean.transpose();
  const Eigen::VectorXd residual = y.array() - block_target;
  auto triangle = scatter.selfadjointView<Eigen::Lower>();
  triangle.rankUpdate(centred.transpose());
  cross.noalias() += centred.transpose() * residual;
  const auto before = static_cast<double>(count_);
  const auto added = static_cast<double>(rows);
  const double weight = before * added / (before + added);
  const Eigen::VectorXd step = block_mean - mean;
  const double target_step = block_target - target_mean_;
  triangle.rankUpdate(step, weight);
  cross.noalias() += (weight * target_step) * step;
  mean += step * (added / (before + added));
  target_mean_ += target_step * (added / (before + added));
  count_ += rows;
}

void RidgeRegression::solve(double ridge) {
  Rows normal = Eigen::Map<const Rows>(scatter_.data(), features_, features_);
  const double mean_scatter = normal.trace() / static_cast<double>(features_);
  // A little is always added, so that silent neurons do not make the matrix singular.
  const double least = std::numeric_limits<double>::epsilon() * static_cast<double>(features_);
  normal.diagonal().array() += std::max(ridge, least) * (mean_scatter > 0.0 ? mean_scatter : 1.0);
  weights_.resize(static_cast<std::size_t>(features_));
  vector_of(weights_) =
      normal.selfadjointView<Eigen::Lower>().llt().solve(vector_of(cross_scatter_));
  intercept_ = target_mean_ - vector_of(weights_).dot(vector_of(mean_));
}

void RidgeRegression::set_solution(const ReadoutSolution& solution) {
  if (static_cast<std::int64_t>(solution.weights.size()) != features_) {
    throw ShapeError("[RidgeRegression] expected " + std::to_string(features_) + " weights, got " +
                     std::to_string(solution.weights.size()));
  }
  weights_ = solution.weights;
  intercept_ = solution.intercept;
  target_mean_ = solution.target_mean;
}

std::vector<double> RidgeRegression::state() const {
  std::vector<double> state = {static_cast<double>(count_), target_mean_, intercept_,
                               is_solved() ? 1.0 : 0.0};
  for (const auto* part : {&mean_, &scatter_, &cross_scatter_, &weights_}) {
    state.insert(state.end(), part->begin(), part->end());
  }
  state.resize(state_size());
  return state;
}

void RidgeRegression::set_state(std::span<const double> state) {
  if (state.size() != state_size()) {
    throw ShapeError("[RidgeRegression] expected a state of " + std::to_string(state_size()) +
                     " numbers, got " + std::to_string(state.size()));
  }
  count_ = static_cast<std::int64_t>(state[0]);
  target_mean_ = state[1];
  intercept_ = state[2];
  weights_.resize(state[3] != 0.0 ? mean_.size() : 0);
  const double* from = state.data() + 4;
  for (auto* part : {&mean_, &scatter_, &cross_scatter_, &weights_}) {
    std::copy_n(from, part->size(), part->begin());
    from += part->size();
  }
}

std::vector<double> RidgeRegression::predict(std::span<const double> features) const {
  const auto rows = static_cast<Eigen::Index>(features.size()) / features_;
  const Eigen::Map<const Rows> x(features.data(), rows, features_);
  const Eigen::Map<const Eigen::VectorXd> w(weights_.data(), features_);
  std::vector<double> predictions(static_cast<std::size_t>(rows));
  vector_of(predictions) = (x * w).array() + intercept_;
  return predictions;
}

}  // namespace gaia
