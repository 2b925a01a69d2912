// SPDX-License-Identifier: MIT
/// \file
/// Linear regression that learns row by row, and can follow what changes.
///
///     OnlineRegression online(features, targets, {.forgetting = 0.999});
///     const std::vector<double> predicted = online.predict(x);  // [targets], of x [features]
///     online.learn(x, y);                                       // and only then the truth
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gaia {

enum class OnlineMethod { rls, nlms };

std::string to_string(OnlineMethod method);
/// \throws ArgumentError for another name.
OnlineMethod online_method_from_name(std::string_view name);
std::vector<std::string> online_method_names();

struct OnlineOptions {
  OnlineMethod method = OnlineMethod::rls;
  double forgetting = 0.999;  ///< Weight of a row one row later, above 0 up to 1; of rls.
  double delta = 1e-2;        ///< Regularisation of rls, above 0; P begins as the identity / delta.
  double step = 0.5;          ///< Step size of nlms, above 0 and below 2.
  double epsilon = 1e-6;      ///< Number that nlms adds to |x|^2, above 0.
};

/// Predicts W x + b for rows x [features], with W [targets, features]; below x and W stand for (x,
/// 1) and (W, b), so that the intercept is learnt, and regularised, as a weight is.
///
/// rls, recursive least squares (Plackett, 1950, Biometrika 37, 149-157): after t rows with
/// forgetting f the weights minimise
///     sum_i f^(t - i) |y_i - W x_i|^2 + delta |W|^2,
/// at f = 1 those of ridge regression.  Each row costs features^2 operations.  The inverse P of the
/// matrix of the normal equations is kept as S S^T and S is updated by Potter's formula (Bierman,
/// 1977, Factorization Methods for Discrete Sequential Estimation, ch. II), so that P stays
/// symmetric and positive whatever rounding does.  With f below 1 the regularisation would be
/// forgotten as rows are, and P grow without limit along features that are silent; so it is renewed
/// for one weight after the other, one a row, to delta (after Gay, 1996, Proc. ICASSP 3,
/// 1886-1889).
///
/// nlms, normalised least mean squares (Nagumo & Noda, 1967, IEEE Trans. Autom. Control 12,
/// 282-287):
///     W <- W + step (y - W x) x^T / (epsilon + |x|^2).
class OnlineRegression {
 public:
  /// \throws ArgumentError for no features or targets, for more than 8 192 features with rls, and
  /// for options out of their range.
  OnlineRegression(std::int64_t features, std::int64_t targets, const OnlineOptions& options = {});

  /// W x + b for x [features], as [targets]: 0 before the first row.
  /// \throws ShapeError for another length.
  std::vector<double> predict(std::span<const double> x) const;

  /// Takes the targets y [targets] of x [features].
  /// \throws ShapeError for other lengths; ArgumentError for NaN, infinity and numbers whose
  /// squares are too large, after which it is as it was.
  void learn(std::span<const double> x, std::span<const double> y);

  /// For rows [rows, features] and targets [rows, targets] what was predicted of each row before it
  /// was learnt, [rows, targets].  \throws as learn, which has taken the rows before then.
  std::vector<double> predict_and_learn(std::span<const double> rows, std::span<const double> y);

  std::int64_t features() const { return features_; }
  std::int64_t targets() const { return targets_; }
  /// Rows that it has learnt.
  std::int64_t count() const { return count_; }
  std::vector<double> weights() const;     ///< [targets, features]
  std::vector<double> intercepts() const;  ///< [targets]

  /// All that it has learnt, as numbers in one list, from which another with the same options goes
  /// on bit for bit.
  std::vector<double> state() const;
  /// \throws ShapeError for a list of another length, ArgumentError for one that is no such state.
  void set_state(std::span<const double> state);

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  std::size_t state_size() const { return 1 + weights_.size() + root_.size(); }
  void renew_regularisation();

  std::int64_t features_;
  std::int64_t targets_;
  OnlineOptions options_;
  double renewed_ = 0.0;  // what one row adds to the regularisation of one weight
  std::int64_t count_ = 0;
  std::vector<double> weights_;  // [targets, features + 1], the intercept last
  std::vector<double> root_;     // S [features + 1, features + 1], with rls
};

}  // namespace gaia
