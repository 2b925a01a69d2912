// SPDX-License-Identifier: MIT
/// \file
/// Ridge regression on data that comes in blocks.
///
///     RidgeRegression ridge(features.shape(1));
///     ridge.add(features, targets);               // [rows, features] and [rows]
///     ridge.solve(1e-6);
///     Array predicted = ridge.predict(features);  // [rows]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../array/array.h"
#include "readout_kind.h"

namespace gaia {

/// As an experiment has it: a linear readout.
struct RidgeOptions {
  double ridge = 1e-6;

  static constexpr const char* name = "ridge";
  static constexpr ReadoutTask task = ReadoutTask::regression;
  void keys(ConfigVisitor& v) {
    v.number({"ridge", "regularisation, relative to the features' mean variance"}, ridge,
             kNotNegative);
  }
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;
};

/// Means and covariances of features and targets.  Blocks are joined by the formula of Chan, Golub
/// & LeVeque (1983), Am. Stat. 37, 242-247, so that large means cost no digits.
class RidgeRegression final : public ReadoutModel {
 public:
  explicit RidgeRegression(std::int64_t features, const RidgeOptions& options = {},
                           std::int64_t targets = 1);

  void add(std::span<const double> features, std::span<const double> targets) override;

  /// The same of arrays, features [rows, features] and targets [rows] (of several [rows,
  /// targets]), in any dtype.
  void add(const Array& features, const Array& targets);

  /// Finds, for every target, the weights w [features] and the intercept b that minimise
  ///     sum_i (y_i - w . x_i - b)^2 / n + ridge s |w|^2,
  /// with s the mean variance of the features, by a Cholesky decomposition.
  void solve(double ridge);
  /// The same with the ridge of the options.
  void solve() override { solve(ridge_); }

  std::vector<double> target_means() const override { return target_means_; }
  bool is_linear() const override { return true; }
  ReadoutSolution solution() const override { return {weights_, intercepts_, target_means_}; }
  void set_solution(const ReadoutSolution& solution) override;

  /// w . x_i + b for features [rows, features].
  std::vector<double> predict(std::span<const double> features) override;
  /// The same of an array, [rows] (of several targets [rows, targets]) float64 on the current
  /// device.
  Array predict(const Array& features);

  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

  bool is_solved() const override { return !weights_.empty(); }
  std::int64_t count() const { return count_; }
  double target_mean() const { return target_means_.front(); }
  const std::vector<double>& weights() const { return weights_; }
  double intercept() const { return intercepts_.front(); }

 private:
  std::int64_t features_;
  std::int64_t targets_;
  double ridge_;
  std::int64_t count_ = 0;
  std::vector<double> mean_;
  std::vector<double> target_means_;
  // [features, features]: sum of (x - mean) (x - mean)^T, on and below the diagonal
  std::vector<double> scatter_;
  std::vector<double> cross_scatter_;  // [targets, features]: sum of (x - mean) (y - target mean)
  std::vector<double> weights_;        // [targets, features], empty until solve()
  std::vector<double> intercepts_;
};

}  // namespace gaia
