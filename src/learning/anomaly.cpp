// SPDX-License-Identifier: MIT
#include "anomaly.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/message.h"
#include "../core/parallel.h"
#include "../core/state_fields.h"
#include "finite_rows.h"

namespace gaia {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::int64_t kRowsOfScores = 256;  // one task's

}  // namespace

MahalanobisDistance::MahalanobisDistance(std::int64_t features, double ridge)
    : ridge_(ridge), covariance_(features) {
  if (!(ridge >= 0.0) || !std::isfinite(ridge)) {
    fail<ArgumentError>("[MahalanobisDistance] expected a ridge of 0 or more, got {}", ridge);
  }
}

void MahalanobisDistance::solve() {
  if (covariance_.count() == 0) {
    throw ArgumentError("[MahalanobisDistance] expected usual rows to be added first, got none");
  }
  std::vector<double> factor = covariance_.matrix();
  const std::int64_t features = covariance_.features();
  Eigen::Map<Eigen::MatrixXd> matrix(factor.data(), features, features);
  const double variance = covariance_.mean_variance();
  const double least = std::numeric_limits<double>::epsilon() * static_cast<double>(features);
  matrix.diagonal().array() += std::max(ridge_, 4.0 * least) * (variance > 0.0 ? variance : 1.0);
  // In place: the reference is to the memory of the matrix itself.
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> decomposition(matrix);
  if (decomposition.info() != Eigen::Success) {
    throw ArgumentError(
        "[MahalanobisDistance] the covariance of the rows is singular; a ridge of "
        "1e-6 or more makes it regular");
  }
  mean_ = covariance_.mean();
  factor_ = std::move(factor);
}

std::vector<double> MahalanobisDistance::scores(std::span<const double> rows) const {
  if (!is_solved()) throw ArgumentError("[MahalanobisDistance] is not solved; call solve first");
  const std::int64_t features = covariance_.features();
  const auto numbers = static_cast<std::int64_t>(rows.size());
  if (numbers % features != 0) {
    fail<ShapeError>("[MahalanobisDistance] expected rows of {} features, got {} numbers", features,
                     numbers);
  }
  const std::int64_t count = numbers / features;
  std::vector<double> scores(static_cast<std::size_t>(count));
  const Eigen::Map<const Eigen::MatrixXd> factor(factor_.data(), features, features);
  const Eigen::Map<const Eigen::VectorXd> mean(mean_.data(), features);
  parallel_for((count + kRowsOfScores - 1) / kRowsOfScores, [&](std::int64_t task) {
    const std::int64_t first = task * kRowsOfScores;
    const std::int64_t size = std::min(kRowsOfScores, count - first);
    // Rows of row-major numbers are the columns of column-major ones.
    const Eigen::Map<const Eigen::MatrixXd> x(rows.data() + first * features, features, size);
    Eigen::MatrixXd centred = x.colwise() - mean;
    factor.triangularView<Eigen::Lower>().solveInPlace(centred);
    Eigen::Map<Eigen::RowVectorXd>(scores.data() + first, size) = centred.colwise().norm();
  });
  return scores;
}

std::vector<double> MahalanobisDistance::state() const {
  // The factor follows from the rest; but rows that were added after solve() are not in it.
  std::vector<double> state = covariance_.state();
  const auto features = static_cast<std::size_t>(covariance_.features());
  state.reserve(state.size() + 1 + features + features * features);
  state.push_back(is_solved() ? 1.0 : 0.0);
  state.insert(state.end(), mean_.begin(), mean_.end());
  state.insert(state.end(), factor_.begin(), factor_.end());
  state.resize(covariance_.state_size() + 1 + features + features * features);
  return state;
}

void MahalanobisDistance::set_state(std::span<const double> state) {
  const auto features = static_cast<std::size_t>(covariance_.features());
  const std::size_t first = covariance_.state_size();
  const std::size_t size = first + 1 + features + features * features;
  if (state.size() != size) {
    fail<ShapeError>("[MahalanobisDistance] expected a state of {} numbers, got {}", size,
                     state.size());
  }
  if (state[first] != 0.0 && state[first] != 1.0) {
    fail<ArgumentError>("[MahalanobisDistance] expected 0 or 1 in the state, got {}", state[first]);
  }
  covariance_.set_state(state.first(first));
  const bool solved = state[first] == 1.0;
  const auto mean = state.subspan(first + 1, features);
  const auto factor = state.subspan(first + 1 + features);
  mean_.assign(mean.begin(), solved ? mean.end() : mean.begin());
  factor_.assign(factor.begin(), solved ? factor.end() : factor.begin());
}

RunningMeanScore::RunningMeanScore(std::int64_t channels, std::int64_t rows) : rows_(rows) {
  if (channels < 1 || rows < 1) {
    fail<ArgumentError>(
        "[RunningMeanScore] expected 1 or more channels and a time constant of 1 row or more, got "
        "{} and {}",
        channels, rows);
  }
  mean_.resize(static_cast<std::size_t>(channels));
  squares_.resize(static_cast<std::size_t>(channels));
}

void RunningMeanScore::expect_whole(std::size_t numbers) const {
  if (numbers % channels() == 0) return;
  fail<ShapeError>("[RunningMeanScore] expected rows of {} channels, got {} numbers", channels(),
                   numbers);
}

void RunningMeanScore::move_mean(std::span<const double> row) {
  ++since_restart_;
  const auto weight = static_cast<double>(std::min(since_restart_, rows_));
  for (std::size_t c = 0; c < row.size(); ++c) mean_[c] += (row[c] - mean_[c]) / weight;
}

void RunningMeanScore::add(std::span<const double> rows) {
  expect_whole(rows.size());
  expect_finite_rows("RunningMeanScore", "channel", rows, std::ssize(mean_));
  for (std::size_t first = 0; first < rows.size(); first += channels()) {
    const auto row = rows.subspan(first, channels());
    if (since_restart_ == 0) std::copy(row.begin(), row.end(), mean_.begin());
    for (std::size_t c = 0; c < row.size(); ++c) {
      squares_[c] += (row[c] - mean_[c]) * (row[c] - mean_[c]);
    }
    ++added_;
    move_mean(row);
  }
}

std::vector<double> RunningMeanScore::scales() const {
  double sum = 0.0;
  double moving = 0.0;
  for (const double squares : squares_) {
    sum += squares;
    if (squares > 0.0) moving += 1.0;
  }
  std::vector<double> scales;
  for (const double squares : squares_) {
    const double own = squares > 0.0 ? squares : sum / std::max(moving, 1.0);
    scales.push_back(own > 0.0 ? std::sqrt(own / static_cast<double>(added_)) : 1.0);
  }
  return scales;
}

std::vector<double> RunningMeanScore::scores(std::span<const double> rows) {
  expect_whole(rows.size());
  expect_finite_rows("RunningMeanScore", "channel", rows, std::ssize(mean_));
  const std::vector<double> scale = scales();
  std::vector<double> scores;
  scores.reserve(rows.size() / channels());
  for (std::size_t first = 0; first < rows.size(); first += channels()) {
    const auto row = rows.subspan(first, channels());
    if (since_restart_ == 0) std::copy(row.begin(), row.end(), mean_.begin());
    double sum = 0.0;
    for (std::size_t c = 0; c < row.size(); ++c) sum += std::abs(row[c] - mean_[c]) / scale[c];
    scores.push_back(sum / static_cast<double>(channels()));
    move_mean(row);
  }
  return scores;
}

void RunningMeanScore::fields(auto& self, auto& state) {
  state(self.since_restart_, self.added_, self.mean_, self.squares_);
}

std::vector<double> RunningMeanScore::state() const { return StateFields::of(*this); }

void RunningMeanScore::set_state(std::span<const double> state) {
  RunningMeanScore made = *this;
  StateFields::set_sized(made, "RunningMeanScore", state, 2 + 2 * channels());
  *this = std::move(made);
}

double ErrorScale::deviation() const {
  const double deviation = std::sqrt(moments_.variances()[0]);
  return deviation > 0.0 ? deviation : 1.0;
}

std::vector<double> ErrorScale::scores(std::span<const double> errors) const {
  std::vector<double> scores(errors.begin(), errors.end());
  const double centre = mean();
  const double unit = deviation();
  for (double& score : scores) score = (score - centre) / unit;
  return scores;
}

}  // namespace gaia
