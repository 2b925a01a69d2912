// SPDX-License-Identifier: MIT
#include "../../src/filters/smoother.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/filters/kalman_filter.h"
#include "../support/catch.h"
#include "linear_reference.h"

namespace gaia {
namespace {

using test::Rows;

TEST_CASE("a smoother says what conditioning on all rows at once says") {
  std::mt19937 random(11);
  const LinearModelOptions options = test::random_model(2, 1, random);
  KalmanFilter filter({.model = options}, 1);
  constexpr std::size_t ticks = 12;
  std::normal_distribution<double> normal;
  std::vector<double> rows(ticks), mean, covariance;
  FilterTick found;
  for (std::size_t t = 0; t < ticks; ++t) {
    rows[t] = t == 4 || t == 11 ? std::numeric_limits<double>::quiet_NaN() : normal(random);
    filter.predict();
    filter.update(std::vector<double>{rows[t]}, false, found);
    mean.insert(mean.end(), filter.mean().begin(), filter.mean().end());
    covariance.insert(covariance.end(), filter.covariance().begin(), filter.covariance().end());
  }
  const LinearModel& model = filter.model();
  const SmoothedTrial smoothed =
      smooth({.states = 2, .mean = mean, .covariance = covariance, .A = model.A, .Q = model.Q});

  // All states as one normal vector: Cov(x_s, x_t) = A^(t - s)' ..., then conditioned on the rows.
  const Rows A = test::rows_of(model.A, 2);
  const Rows H = test::rows_of(model.H, 2);
  Rows all = test::zero_rows(2 * ticks, 2 * ticks);
  Rows now = test::rows_of(model.P0, 2);
  for (std::size_t t = 0; t < ticks; ++t) {
    now = test::sum(test::product(test::product(A, now), test::transposed(A)),
                    test::rows_of(model.Q, 2));
    Rows with = now;  // Cov(x_u, x_t) for u from t on
    for (std::size_t u = t; u < ticks; ++u) {
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
          all[2 * u + i][2 * t + j] = with[i][j];
          all[2 * t + j][2 * u + i] = with[i][j];
        }
      }
      with = test::product(A, with);
    }
  }
  Rows seen;
  Rows y;
  for (std::size_t t = 0; t < ticks; ++t) {
    if (std::isnan(rows[t])) continue;
    seen.emplace_back(2 * ticks, 0.0);
    seen.back()[2 * t] = H[0][0];
    seen.back()[2 * t + 1] = H[0][1];
    y.push_back({rows[t]});
  }
  Rows S = test::product(test::product(seen, all), test::transposed(seen));
  for (std::size_t i = 0; i < S.size(); ++i) S[i][i] += model.R[0];
  const Rows gain = test::product(test::product(all, test::transposed(seen)), test::inverse(S));
  const Rows expected = test::product(gain, y);
  const Rows left = test::sum(all, test::product(test::product(gain, seen), all), -1.0);
  for (std::size_t t = 0; t < ticks; ++t) {
    INFO("tick " << t);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(std::abs(smoothed.mean[2 * t + i] - expected[2 * t + i][0]) < 1e-10);
      for (std::size_t j = 0; j < 2; ++j) {
        CHECK(std::abs(smoothed.covariance[4 * t + 2 * i + j] - left[2 * t + i][2 * t + j]) <
              1e-10);
      }
    }
  }
}

TEST_CASE("a smoother takes matrices that change, models that are singular, and refuses others") {
  // A season's states are known from each other, so what is predicted has no inverse at first.
  KalmanOptions options;
  options.model.kind = LinearModelOptions::Kind::seasonal;
  options.model.period = 4;
  options.model.Q = {{0.0}};
  KalmanFilter filter(options, 1);
  std::vector<double> mean, covariance, A, Q;
  FilterTick found;
  for (int t = 0; t < 8; ++t) {
    filter.predict();
    filter.update(std::vector<double>{t % 4 == 1 ? 3.0 : -1.0}, false, found);
    const auto add = [](std::vector<double>& to, std::span<const double> from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    add(mean, filter.mean());
    add(covariance, filter.covariance());
    add(A, filter.model().A);
    add(Q, filter.model().Q);
  }
  const SmoothedTrial one = smooth({.states = 3,
                                    .mean = mean,
                                    .covariance = covariance,
                                    .A = filter.model().A,
                                    .Q = filter.model().Q});
  const SmoothedTrial each =
      smooth({.states = 3, .mean = mean, .covariance = covariance, .A = A, .Q = Q});
  CHECK(one.mean == each.mean);
  CHECK(one.covariance == each.covariance);
  for (const double value : one.mean) CHECK(std::isfinite(value));
  CHECK(one.covariance[0] < covariance[0]);
  CHECK_THROWS_AS(smooth({.states = 3, .mean = mean, .covariance = mean, .A = A, .Q = Q}),
                  ShapeError);
  CHECK_THROWS_AS(smooth({.states = 3, .mean = mean, .covariance = covariance, .A = A, .Q = {}}),
                  ShapeError);
}

}  // namespace
}  // namespace gaia
