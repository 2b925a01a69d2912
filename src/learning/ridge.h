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
  void keys(ConfigVisitor& v) {
    v.number({"ridge", "regularisation, relative to the features' mean variance"}, ridge,
             kNotNegative);
  }
  std::unique_ptr<ReadoutModel> make(std::int64_t features) const;
};

/// Means and covariances of features and a target.  Blocks are joined by the formula of Chan, Golub
/// & LeVeque (1983), Am. Stat. 37, 242-247, so that large means cost no digits.
class RidgeRegression final : public ReadoutModel {
 public:
  explicit RidgeRegression(std::int64_t features, const RidgeOptions& options = {});

  void add(std::span<const double> features, std::span<const double> targets) override;

  /// The same of arrays, features [rows, features] and targets [rows], in any dtype.
  void add(const Array& features, const Array& targets);

  /// Finds the weights w [features] and the intercept b that minimise
  ///     sum_i (y_i - w . x_i - b)^2 / n + ridge s |w|^2,
  /// with s the mean variance of the features, by a Cholesky decomposition.
  void solve(double ridge);
  /// The same with the ridge of the options.
  void solve() override { solve(ridge_); }

  ReadoutSolution solution() const override { return {weights_, intercept_, target_mean_}; }
  void set_solution(const ReadoutSolution& solution) override;

  /// w . x_i + b for features [rows, features].
  std::vector<double> predict(std::span<const double> features) const override;
  /// The same of an array, [rows] float64 on the current device.
  Array predict(const Array& features) const;

  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

  bool is_solved() const override { return !weights_.empty(); }
  std::int64_t count() const { return count_; }
  double target_mean() const { return target_mean_; }
  const std::vector<double>& weights() const { return weights_; }
  double intercept() const { return intercept_; }

 private:
  std::size_t state_size() const { return 4 + 3 * mean_.size() + scatter_.size(); }

  std::int64_t features_;
  double ridge_;
  std::int64_t count_ = 0;
  std::vector<double> mean_;
  double target_mean_ = 0.0;
  // [features, features]: sum of (x - mean) (x - mean)^T, on and below the diagonal
  std::vector<double> scatter_;
  std::vector<double> cross_scatter_;  // [features]: sum of (x - mean) (y - target mean)
  std::vector<double> weights_;        // empty until solve()
  double intercept_ = 0.0;
};

}  // namespace gaia
