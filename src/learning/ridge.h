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
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../array/array.h"
#include "../core/keys.h"
#include "readout_kind.h"
#include "row_triangle.h"

namespace gaia {

/// How the weights of a ridge regression are found.
enum class RidgeSolver {
  automatic,         ///< `qr` for a ridge below kLeastByNormalEquations, else `normal_equations`.
  normal_equations,  ///< Cholesky decomposition of the features' covariance.
  qr,                ///< Householder reflections of the rows themselves.
};

std::string to_string(RidgeSolver solver);

/// \throws ArgumentError for an unknown name.
RidgeSolver ridge_solver_from_name(std::string_view name);

/// Least ridge that a covariance in float64 has digits for: sums of products of n features are
/// rounded by some n 1e-16 of the greatest eigenvalue.
constexpr double kLeastByNormalEquations = 1e-10;

/// Keys in an experiment: a linear readout.
struct RidgeOptions {
  double ridge = 1e-6;
  RidgeSolver solver = RidgeSolver::automatic;

  static constexpr const char* name = "ridge";
  static constexpr ReadoutTask task = ReadoutTask::regression;
  void keys(ConfigVisitor& v) {
    v.number({"ridge", "regularisation, relative to the features' mean variance"}, ridge,
             kNotNegative);
    v.choice({"solver",
              "how weights are found: by the normal equations, by QR of the rows, which takes some "
              "six times as long and loses no digits, or by QR for a ridge below 1e-10"},
             choice_of({"auto", "normal_equations", "qr"}, solver, ridge_solver_from_name));
  }
  bool by_qr() const {
    return solver == RidgeSolver::qr ||
           (solver == RidgeSolver::automatic && ridge < kLeastByNormalEquations);
  }
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;
};

/// Means and covariances of features and targets, or the triangular factor of their rows
/// (RidgeSolver).  Blocks are joined by the formula of Chan, Golub & LeVeque (1983), Am. Stat. 37,
/// 242-247, so that large means cost no digits; of QR by reflections (row_triangle.h), with a
/// column of ones beside them for the means.  Without an intercept (ReadoutSizes) sums are about 0,
/// so that a feature that is 1 has a weight like others, regularised too.
class RidgeRegression final : public ReadoutModel {
 public:
  explicit RidgeRegression(std::int64_t features, const RidgeOptions& options = {},
                           std::int64_t targets = 1, bool intercept = true);

  void add(std::span<const double> features, std::span<const double> targets) override;

  /// The same of arrays, features [rows, features] and targets [rows] (of several [rows,
  /// targets]), in any dtype.
  void add(const Array& features, const Array& targets);

  /// Finds, for every target, the weights w [features] and the intercept b that minimise
  ///     sum_i (y_i - w . x_i - b)^2 / n + ridge s |w|^2,
  /// with s the mean variance of the features; without an intercept b is 0, and s the mean square
  /// of the features.  By QR a ridge of 0 gives, of several solutions, the one with the least |w|;
  /// by the normal equations at least epsilon times the number of features is added.
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
  std::string solved_by() const override { return triangle_ ? "qr" : "normal_equations"; }
  /// What a smaller ridge would do to the error of the training part, if that is much.
  std::vector<std::string> notices() const override;
  std::int64_t count() const { return count_; }
  double target_mean() const { return target_means_.front(); }
  const std::vector<double>& weights() const { return weights_; }
  double intercept() const { return intercepts_.front(); }

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  void solve_by_normal_equations(double ridge);
  void solve_by_qr(double ridge);
  /// Mean over targets of the mean squared error of `weights`, in variances of the target, over
  /// what was trained on.
  double training_error(const std::vector<double>& weights) const;

  std::int64_t features_;
  std::int64_t targets_;
  double ridge_;
  bool intercept_;
  std::int64_t count_ = 0;
  std::vector<double> mean_;
  std::vector<double> target_means_;
  // [features, features]: sum of (x - mean) (x - mean)^T, on and below the diagonal
  std::vector<double> scatter_;
  std::vector<double> target_scatter_;  // [targets]: sum of (y - target mean)^2
  std::vector<double> cross_scatter_;   // [targets, features]: sum of (x - mean) (y - target mean)
  std::vector<double> weights_;         // [targets, features], empty until solve()
  std::vector<double> intercepts_;
  double smaller_ridge_ = 0.0;  // ridge of a notice; 0: there is none
  double gain_ = 1.0;           // factor by which it lowers the root mean squared error
  // By QR, in place of means and scatters: of rows [1, features, targets], less the first of them.
  std::optional<RowTriangle> triangle_;
  std::vector<double> first_row_;
};

}  // namespace gaia
