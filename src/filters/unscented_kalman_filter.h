// SPDX-License-Identifier: MIT
/// \file
/// The Kalman filter that carries a few points through a nonlinear model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gaussian_filter.h"
#include "state_model.h"

namespace gaia {

/// Places and weights of the points.  With n states and λ = alpha² (n + kappa) - n:
///
///     points    m,  and for i = 1 .. n  m + √(n + λ) L_i  and  m - √(n + λ) L_i
///     weights   of means        λ / (n + λ),                     then 1 / (2 (n + λ)) each
///               of covariances  λ / (n + λ) + 1 - alpha² + beta, then 1 / (2 (n + λ)) each
///
/// where L_i are the columns of L with L Lᵀ = P.
struct SigmaPointOptions {
  double alpha = 1.0;  ///< Spread of the points, above 0.
  double beta = 0.0;   ///< What is added to the weight of the middle for covariances.
  /// None: 3 - n, and 0 for more than 3 states.  It is that of Julier and Uhlmann as far as no
  /// weight is negative, so that every covariance stays one.
  std::optional<double> kappa = {};
};

struct UnscentedKalmanOptions {
  NonlinearModelOptions model = {};
  SigmaPointOptions points = {};
};

/// The unscented Kalman filter (Julier and Uhlmann 1997, AeroSense; weights scaled as Wan and van
/// der Merwe 2000, AS-SPCC).  For each stream, m = 0 and P = P0 at first, with the points χ_i of m
/// and P and their weights w_i and c_i, which are drawn anew for the update:
///
///     predict:  m <- Σ w_i f(χ_i, t),  P <- Σ c_i (f(χ_i, t) - m)(f(χ_i, t) - m)ᵀ + Q
///     update:   ŷ = Σ w_i h(χ_i, t),  v = y - ŷ,  S = Σ c_i (h(χ_i, t) - ŷ)(h(χ_i, t) - ŷ)ᵀ + R,
///               K = Σ c_i (χ_i - m)(h(χ_i, t) - ŷ)ᵀ S⁻¹,  m <- m + K v,
///               P <- Σ c_i e_i e_iᵀ + K R Kᵀ  with  e_i = χ_i - m - K (h(χ_i, t) - ŷ)
///
/// The last line is P - K S Kᵀ in Joseph's form: positive whatever K is.  Missing values, the log
/// likelihood and NIS are those of the Kalman filter; a linear model makes it the Kalman filter.
/// The noise is given: it does not adapt.
class UnscentedKalmanFilter final : public GaussianFilter {
 public:
  /// \throws as TextModel and noise_of; ArgumentError unless alpha and alpha² (n + kappa) are above
  ///         0, all of them are finite and there is 1 stream or more.
  explicit UnscentedKalmanFilter(const UnscentedKalmanOptions& options, std::int64_t streams = 1);
  /// For a model that is made already.
  UnscentedKalmanFilter(StateModel model, const SigmaPointOptions& points,
                        std::int64_t streams = 1);

  std::string type() const override { return "unscented_kalman"; }
  std::unique_ptr<StateFilter> clone() const override;

  std::int64_t states() const override { return model_.states(); }
  std::int64_t observed() const override { return model_.observed(); }
  std::int64_t points() const override { return 2 * (2 * states() + 1); }
  void set_streams(std::int64_t streams) override;

  void begin() override;
  void predict() override;
  void update(std::span<const double> rows, bool adapt, FilterTick& found) override;

  void set_belief(std::span<const double> means, std::span<const double> covariances) override;
  std::span<const double> state_noise() const override { return model_.Q(); }
  std::span<const double> observation_noise() const override { return model_.R(); }

  /// Mean and covariance of each stream, and how many ticks its trial had.
  std::vector<double> carried() const override;
  void set_carried(std::span<const double> numbers) override;

  const StateModel& model() const { return model_; }

 private:
  void predict_stream(std::int64_t stream);
  void update_stream(std::int64_t stream, std::span<const double> row, FilterTick& found);
  /// Points of a stream, [2 states + 1, states].
  std::vector<double> points_of(std::int64_t stream) const;

  StateModel model_;
  double scale_ = 1.0;              // n + λ
  std::vector<double> of_means_;    // weights w
  std::vector<double> of_spreads_;  // weights c
  std::int64_t ticks_ = 0;          // ticks of the trial, with the one that was predicted last
};

}  // namespace gaia
