// SPDX-License-Identifier: MIT
#include "../../src/filters/unscented_kalman_filter.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "nonlinear_series.h"

namespace gaia::test {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("Sigma points of a linear model give the Kalman filter") {
  const auto rows = rows_with_gaps(1, 60, 2);
  for (const SigmaPointOptions& points :
       {SigmaPointOptions{}, SigmaPointOptions{.alpha = 0.5, .beta = 2.0, .kappa = 1.0}}) {
    KalmanFilter kalman(crossed_model());
    UnscentedKalmanFilter of_matrices(StateModel(crossed_model()), points);
    CHECK(largest_distance(kalman, of_matrices, rows) < 1e-11);
    KalmanFilter again(crossed_model());
    UnscentedKalmanFilter of_texts({.model = crossed_text(), .points = points});
    CHECK(largest_distance(again, of_texts, rows) < 1e-11);
  }
}

TEST_CASE("The unscented filter of one state is that of three points written out") {
  const Series series = growth_series(3, 40);
  constexpr double alpha = 0.8;
  constexpr double beta = 1.5;
  constexpr double kappa = 2.5;
  UnscentedKalmanFilter filter(
      {.model = growth_model(), .points = {.alpha = alpha, .beta = beta, .kappa = kappa}});
  const double lambda = alpha * alpha * (1 + kappa) - 1;
  const double w0 = lambda / (1 + lambda);
  const double c0 = w0 + 1 - alpha * alpha + beta;
  const double w = 0.5 / (1 + lambda);
  double m = 0.0;
  double P = 2.0;
  double worst = 0.0;
  FilterTick found;
  for (std::size_t k = 0; k < series.seen.size(); ++k) {
    const auto f = [&](double x) {
      return x / 2 + 25 * x / (1 + x * x) + 8 * std::cos(1.2 * (static_cast<double>(k) + 1));
    };
    const auto h = [](double x) { return x * x / 20; };
    double d = std::sqrt((1 + lambda) * P);
    double x0 = f(m);
    double x1 = f(m + d);
    double x2 = f(m - d);
    m = w0 * x0 + w * x1 + w * x2;
    P = c0 * (x0 - m) * (x0 - m) + w * (x1 - m) * (x1 - m) + w * (x2 - m) * (x2 - m) + 10;
    filter.predict();
    worst = std::max({worst, std::abs(filter.mean()[0] - m), std::abs(filter.covariance()[0] - P)});
    d = std::sqrt((1 + lambda) * P);
    const double y0 = h(m);
    const double y1 = h(m + d);
    const double y2 = h(m - d);
    const double y = w0 * y0 + w * y1 + w * y2;
    const double S =
        c0 * (y0 - y) * (y0 - y) + w * (y1 - y) * (y1 - y) + w * (y2 - y) * (y2 - y) + 1;
    const double K = (w * d * (y1 - y) - w * d * (y2 - y)) / S;
    const double v = series.seen[k] - y;
    m += K * v;
    P -= K * S * K;
    const bool missing = k % 7 == 3;
    if (missing) {  // take it back
      m -= K * v;
      P += K * S * K;
    }
    filter.update(std::vector<double>{missing ? kMissing : series.seen[k]}, false, found);
    worst = std::max({worst, std::abs(filter.mean()[0] - m), std::abs(filter.covariance()[0] - P),
                      std::abs(filter.innovation_covariance()[0] - S)});
    if (missing) {
      CHECK(found.log_likelihood[0] == 0.0);
      CHECK(std::isnan(found.nis[0]));
      continue;
    }
    worst = std::max({worst, std::abs(found.innovation[0] - v), std::abs(found.nis[0] - v * v / S),
                      std::abs(found.log_likelihood[0] +
                               0.5 * (v * v / S + std::log(2 * std::numbers::pi * S)))});
  }
  CHECK(worst < 1e-10);
}

TEST_CASE("The unscented filter goes on bit for bit, stream by stream") {
  const auto rows = rows_with_gaps(5, 30, 6);
  UnscentedKalmanFilter whole({.model = crossed_text()}, 3);
  UnscentedKalmanFilter second({.model = crossed_text()}, 3);
  FilterTick found;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    whole.predict();
    whole.update(rows[k], true, found);
    if (k == 14) second.set_carried(whole.carried());
    if (k <= 14) continue;
    second.predict();
    second.update(rows[k], true, found);
  }
  CHECK(second.carried() == whole.carried());
  // A stream is what a filter of its own makes of its rows.
  UnscentedKalmanFilter alone({.model = crossed_text()});
  for (const auto& row : rows) {
    alone.predict();
    alone.update(std::span(row).subspan(2, 2), false, found);
  }
  CHECK(apart(alone.mean(), whole.mean().subspan(2, 2)) == 0.0);
  CHECK(apart(alone.covariance(), whole.covariance().subspan(4, 4)) == 0.0);
  whole.begin();
  CHECK(whole.carried() == UnscentedKalmanFilter({.model = crossed_text()}, 3).carried());
  CHECK_THROWS_AS(whole.set_carried(std::vector<double>(5)), ShapeError);
}

TEST_CASE("Points that cannot be are refused") {
  const auto make = [](SigmaPointOptions points) {
    return UnscentedKalmanFilter({.model = crossed_text(), .points = points});
  };
  CHECK_THROWS_WITH_TEXT(make({.alpha = 0.0}), ArgumentError, "alpha");
  CHECK_THROWS_WITH_TEXT(make({.kappa = -2.0}), ArgumentError, "kappa");
  CHECK_THROWS_WITH_TEXT(make({.beta = kMissing}), ArgumentError, "beta");
  NonlinearModelOptions exact = crossed_text();
  exact.R = {{0.0}};
  exact.Q = {{0.0}};
  exact.P0 = {{0.0}};
  UnscentedKalmanFilter filter({.model = exact});
  FilterTick found;
  filter.predict();
  CHECK_THROWS_WITH_TEXT(filter.update(std::vector<double>{1.0, 1.0}, false, found), ArgumentError,
                         "singular");
  NonlinearModelOptions wild = crossed_text();
  wild.text.state = "a = exp(exp(a + 9)) + b\nb = b";
  UnscentedKalmanFilter runs_away({.model = wild});
  CHECK_THROWS_WITH_TEXT(runs_away.predict(), ArgumentError, "finite");
}

}  // namespace gaia::test
