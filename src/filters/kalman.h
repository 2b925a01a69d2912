// SPDX-License-Identifier: MIT
/// \file
/// The Kalman filter.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gaussian_filter.h"

namespace gaia {

/// x' = A x + N(0, Q), y = H x + N(0, R).
struct LinearModel {
  std::int64_t states = 0;
  std::int64_t observed = 0;
  std::vector<double> A = {};  ///< [states, states]
  std::vector<double> H = {};  ///< [observed, states]
};

enum class KalmanForm : std::uint8_t { joseph, root };
enum class KalmanAdapts : std::uint8_t { none, Q, R };

struct KalmanOptions {
  LinearModel model = {};
  std::vector<double> Q = {};   ///< [states, states]
  std::vector<double> R = {};   ///< [observed, observed]
  std::vector<double> P0 = {};  ///< [states, states], before the first prediction.
  KalmanForm form = KalmanForm::joseph;
  KalmanAdapts adapt = KalmanAdapts::none;
  double forgetting = 0.995;
  std::int64_t streams = 1;
};

/// A model of one number that is observed, repeated for `count` of them, block after block.
LinearModel repeated_model(const std::vector<double>& A, std::int64_t states, std::int64_t count);

class KalmanFilter final : public GaussianFilter {
 public:
  /// \throws ShapeError, ArgumentError for options that do not fit or are no covariances.
  explicit KalmanFilter(const KalmanOptions& options);

  std::string type() const override { return "kalman"; }
  std::unique_ptr<StateFilter> clone() const override {
    return std::make_unique<KalmanFilter>(*this);
  }
  std::int64_t streams() const override { return options_.streams; }
  std::int64_t states() const override { return options_.model.states; }
  std::int64_t observed() const override { return options_.model.observed; }
  void set_streams(std::int64_t streams) override;
  void begin() override;
  void predict() override;
  void update(std::span<const double> rows, bool adapt, FilterTick& found) override;
  const LinearModel& model() const { return options_.model; }
  std::span<const double> mean() const override { return mean_; }
  std::span<const double> covariance() const override { return covariance_; }
  std::span<const double> state_noise() const override { return Q_; }
  std::span<const double> observation_noise() const override { return R_; }
  void set_belief(std::span<const double> means, std::span<const double> covariances) override;
  std::span<const double> innovation_covariance() const override { return S_; }
  std::vector<double> carried() const override;
  void set_carried(std::span<const double> numbers) override;
  std::vector<double> adapted() const override;
  void set_adapted(std::span<const double> numbers) override;

 private:
  KalmanOptions options_;
  std::vector<double> Q_;
  std::vector<double> R_;
  double ticks_ = 0.0;  // observed ones that adapted
  std::vector<double> mean_;
  std::vector<double> covariance_;
  std::vector<double> S_;
};

}  // namespace gaia
