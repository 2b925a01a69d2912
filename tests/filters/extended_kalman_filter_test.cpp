// SPDX-License-Identifier: MIT
#include "../../src/filters/extended_kalman_filter.h"

#include <cmath>

#include "../support/catch.h"
#include "nonlinear_series.h"

namespace gaia::test {

TEST_CASE("The extended filter of a linear text is the Kalman filter") {
  const auto rows = rows_with_gaps(2, 80, 2);
  for (const KalmanForm form : {KalmanForm::joseph, KalmanForm::root}) {
    KalmanFilter kalman(crossed_model(), form);
    ExtendedKalmanFilter extended({.model = crossed_text(), .form = form});
    CHECK(largest_distance(kalman, extended, rows) < 1e-12);
  }
}

TEST_CASE("The extended filter of one state is what its derivatives make of it") {
  const Series series = growth_series(8, 100);
  ExtendedKalmanFilter filter({.model = growth_model()});
  double m = 0.0;
  double P = 2.0;
  double worst = 0.0;
  FilterTick found;
  for (std::size_t k = 0; k < series.seen.size(); ++k) {
    const double F = 0.5 + 25 * (1 - m * m) / ((1 + m * m) * (1 + m * m));
    m = m / 2 + 25 * m / (1 + m * m) + 8 * std::cos(1.2 * (static_cast<double>(k) + 1));
    P = F * F * P + 10;
    const double h = m / 10;
    const double S = h * h * P + 1;
    const double K = P * h / S;
    m += K * (series.seen[k] - m * m / 20);
    P = (1 - K * h) * (1 - K * h) * P + K * K;
    filter.predict();
    filter.update(std::span(&series.seen[k], 1), false, found);
    worst = std::max({worst, std::abs(filter.mean()[0] - m), std::abs(filter.covariance()[0] - P)});
  }
  // The model doubles small differences at some steps, and halves them at others.
  CHECK(worst < 1e-8);
}

TEST_CASE("The extended filter goes on bit for bit, with the ticks of its trial") {
  const Series series = growth_series(9, 40);
  ExtendedKalmanFilter whole({.model = growth_model(), .adapt = NoiseAdaption::R});
  ExtendedKalmanFilter second({.model = growth_model(), .adapt = NoiseAdaption::R});
  FilterTick found;
  for (std::size_t k = 0; k < series.seen.size(); ++k) {
    whole.predict();
    whole.update(std::span(&series.seen[k], 1), true, found);
    if (k == 24) {
      second.set_carried(whole.carried());
      second.set_adapted(whole.adapted());
    }
    if (k <= 24) continue;
    second.predict();
    second.update(std::span(&series.seen[k], 1), true, found);
  }
  CHECK(second.carried() == whole.carried());
  CHECK(second.adapted() == whole.adapted());
  CHECK(whole.observation_noise()[0] != 1.0);
}

}  // namespace gaia::test
