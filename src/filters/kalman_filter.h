// SPDX-License-Identifier: MIT
/// \file
/// The Kalman filter of a linear model.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gaussian_filter.h"
#include "linear_model.h"

namespace gaia {

/// How covariances are kept.
enum class KalmanForm : std::uint8_t {
  joseph,  ///< P <- (1 - K H) P (1 - K H)ᵀ + K R Kᵀ, positive whatever K is (Bucy and Joseph 1968).
  root,  ///< L with P = L Lᵀ, by QR decompositions (Kaminski, Bryson and Schmidt 1971).
};

/// Which noise a filter finds while it learns.
enum class NoiseAdaption : std::uint8_t { none, Q, R };

struct KalmanOptions {
  LinearModelOptions model = {};
  KalmanForm form = KalmanForm::joseph;
  NoiseAdaption adapt = NoiseAdaption::none;
  double forgetting = 0.995;  ///< b of the noise that adapts, in (0, 1).
};

/// Observed ticks before noise adapts.
inline constexpr std::int64_t kTicksBeforeNoiseAdapts = 20;

/// Weight d = (1 - b) / (1 - b^(t + 1)) of the newest tick, t ticks having been observed before it
/// (Sage and Husa 1969); 0 for t below 20.
double noise_weight(double forgetting, std::int64_t observed_ticks);

/// Kalman's filter (Kalman 1960, J. Basic Eng. 82, 35-45).  For each stream, m = 0 and P = P0 at
/// first,
///
///     predict:  m <- A m,  P <- A P Aᵀ + Q
///     update:   v = y - H m,  S = H P Hᵀ + R,  K = P Hᵀ S⁻¹,
///               m <- m + K v,  P <- (1 - K H) P (1 - K H)ᵀ + K R Kᵀ
///               log likelihood = - (vᵀ S⁻¹ v + log |S| + observed log 2π) / 2
///
/// Where y has missing values their rows of H, and rows and columns of R, are left out; where all
/// are missing nothing happens.  Noise that adapts moves behind that, by the mean over the streams
/// that have observed something:
///
///     R:  R <- (1 - d) R + d (ε εᵀ + H P Hᵀ),  ε = y - H m, m and P being those after the update
///         (Akhlaghi, Zhou and Huang 2017).  Where values are missing, o being those that are
///         there, R <- R + d C (ε εᵀ + H P Hᵀ - R_oo) Cᵀ with C = R_:o R_oo⁻¹: what is said of
///         R_oo, and what that says of the rest; so R stays positive
///     Q:  Q <- Q + d (w wᵀ - G H Q),  G = Q Hᵀ S⁻¹,  w = G v
///
/// The second is a step of expectation maximisation, never indefinite, and slow where Q is far too
/// large.
class KalmanFilter : public GaussianFilter {
 public:
  /// \throws ArgumentError as make_linear_model; unless `forgetting` lies in (0, 1) and there is 1
  ///         stream or more.
  KalmanFilter(const KalmanOptions& options, std::int64_t observed, std::int64_t streams = 1);
  /// For a model that is made already.
  KalmanFilter(LinearModel model, KalmanForm form = KalmanForm::joseph,
               NoiseAdaption adapt = NoiseAdaption::none, double forgetting = 0.995,
               std::int64_t streams = 1);

  std::string type() const override { return "kalman"; }
  std::unique_ptr<StateFilter> clone() const override;

  std::int64_t states() const override { return model_.states; }
  std::int64_t observed() const override { return model_.observed; }
  void set_streams(std::int64_t streams) override;

  void begin() override;
  void predict() override;
  void update(std::span<const double> rows, bool adapt, FilterTick& found) override;

  void set_belief(std::span<const double> means, std::span<const double> covariances) override;
  std::span<const double> state_noise() const override { return model_.Q; }
  std::span<const double> observation_noise() const override { return model_.R; }

  std::vector<double> carried() const override;
  void set_carried(std::span<const double> numbers) override;
  /// Q or R, and how many ticks were observed.
  std::vector<double> adapted() const override;
  void set_adapted(std::span<const double> numbers) override;

  /// With the noise as it is now.
  const LinearModel& model() const { return model_; }

 protected:
  /// One step of the state: replaces `mean` [states] and writes the derivatives of what it becomes
  /// by what it was, [states, states].
  virtual void go_on(std::span<double> mean, std::span<double> jacobian) const;
  /// What is observed of `mean`: writes it, [observed], and its derivatives, [observed, states].
  virtual void expect(std::span<const double> mean, std::span<double> expected,
                      std::span<double> jacobian) const;

 private:
  /// What the streams of a tick say of the noise.
  struct Said;

  void predict_stream(std::int64_t stream);
  void update_stream(std::int64_t stream, std::span<const double> row, FilterTick& found,
                     Said& said);
  void adapt_noise(const Said& said);

  LinearModel model_;
  KalmanForm form_;
  NoiseAdaption adapt_;
  double forgetting_;
  std::int64_t observed_ticks_ = 0;
  std::vector<double> root_;  // [streams, states, states]; empty unless the form is `root`
};

}  // namespace gaia
