// SPDX-License-Identifier: MIT
/// \file
/// The Kalman filter of a model that is written as text, straightened at each step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kalman_filter.h"
#include "text_model.h"

namespace gaia {

/// A nonlinear model with its noise: x <- f(x, t) + N(0, Q), y = h(x, t) + N(0, R).
struct NonlinearModelOptions {
  TextModelOptions text = {};
  // Covariances: one number for all of the diagonal, a row for the diagonal, or all rows.
  MatrixRows Q = {{0.01}};
  MatrixRows R = {{1.0}};
  MatrixRows P0 = {{1.0}};
};

struct ExtendedKalmanOptions {
  NonlinearModelOptions model = {};
  KalmanForm form = KalmanForm::joseph;
  NoiseAdaption adapt = NoiseAdaption::none;
  double forgetting = 0.995;
};

/// The Kalman filter with the derivatives A = df/dx at the mean before the step and H = dh/dx at
/// the mean before the update (Jazwinski 1970, Stochastic Processes and Filtering Theory, chapter
/// 8):
///
///     predict:  m <- f(m, t),  P <- A P Aᵀ + Q
///     update:   v = y - h(m, t),  and on as the Kalman filter does with H
///
/// Noise that adapts does so with the same A and H; ε = y - h(m, t) of the mean after the update.
/// t is 0 at the first tick of a trial, at its prediction as at its update.
class ExtendedKalmanFilter final : public KalmanFilter {
 public:
  /// \throws as TextModel and KalmanFilter do; ArgumentError for more than 64 states.
  explicit ExtendedKalmanFilter(const ExtendedKalmanOptions& options, std::int64_t streams = 1);

  std::string type() const override { return "extended_kalman"; }
  std::unique_ptr<StateFilter> clone() const override;
  const TextModel& text() const { return text_; }

  void begin() override;
  void predict() override;

  /// What the Kalman filter carries of each stream, and how many ticks its trial had.
  std::vector<double> carried() const override;
  void set_carried(std::span<const double> numbers) override;

 private:
  void go_on(std::span<double> mean, std::span<double> jacobian) const override;
  void expect(std::span<const double> mean, std::span<double> expected,
              std::span<double> jacobian) const override;

  TextModel text_;
  std::int64_t ticks_ = 0;  // ticks of the trial, with the one that was predicted last
};

/// The noise of a nonlinear model and how large it is, without matrices A and H.
/// \throws ArgumentError as covariance_of, and for more than 64 states.
LinearModel noise_of(const std::string& function, const NonlinearModelOptions& options,
                     const TextModel& text);

}  // namespace gaia
