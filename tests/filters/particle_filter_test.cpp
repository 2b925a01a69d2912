// SPDX-License-Identifier: MIT
#include "../../src/filters/particle_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/core/parallel.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"
#include "nonlinear_series.h"

namespace gaia::test {
namespace {

ParticleFilter growth_filter(std::uint64_t seed, std::int64_t particles = 1000) {
  return ParticleFilter(StateModel("particle", growth_model()),
                        {.particles = particles, .seed = seed});
}

/// Root of the mean squared distance of the means from the truth.
template <class Filter>
double rms_of(Filter& filter, const Series& series) {
  double sum = 0.0;
  FilterTick found;
  for (std::size_t k = 0; k < series.seen.size(); ++k) {
    filter.predict();
    filter.update(std::span(&series.seen[k], 1), false, found);
    sum += std::pow(filter.mean()[0] - series.truth[k], 2);
  }
  return std::sqrt(sum / static_cast<double>(series.seen.size()));
}

}  // namespace

TEST_CASE("Particles follow the usual nonlinear model where the extended filter loses it") {
  double particles = 0.0;
  double extended = 0.0;
  int inside = 0;
  constexpr int kRuns = 20;
  constexpr int kTicks = 200;
  for (unsigned seed = 0; seed < kRuns; ++seed) {
    const Series series = growth_series(seed, kTicks);
    ParticleFilter filter = growth_filter(seed);
    double sum = 0.0;
    FilterTick found;
    for (std::size_t k = 0; k < kTicks; ++k) {
      filter.predict();
      filter.update(std::span(&series.seen[k], 1), false, found);
      sum += std::pow(filter.mean()[0] - series.truth[k], 2);
      inside += filter.quantile(0.025)[0] <= series.truth[k] &&
                series.truth[k] <= filter.quantile(0.975)[0];
    }
    particles += std::sqrt(sum / kTicks) / kRuns;
    ExtendedKalmanFilter other({.model = growth_model()});
    extended += rms_of(other, series) / kRuns;
  }
  const double share = inside / static_cast<double>(kRuns * kTicks);
  INFO("particles " << particles << ", extended " << extended << ", inside " << share);
  CHECK(particles > 4.0);
  CHECK(particles < 5.8);
  CHECK(extended > 12.0);
  CHECK(share > 0.92);
  CHECK(share < 0.97);
}

/// Rows that the model itself makes, some of them missing: particles are meant for what their model
/// finds likely.
static std::vector<std::vector<double>> crossed_rows(unsigned seed, int ticks) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> rows;
  double a = 0.0, b = 0.0;
  for (int k = 0; k < ticks; ++k) {
    // By the factors of Cholesky of Q and R.
    const double u = normal(random), v = normal(random), p = normal(random), q = normal(random);
    const double before = a;
    a = 0.9 * a + 0.3 * b + std::sqrt(0.3) * u;
    b = -0.2 * before + 0.8 * b + 0.1 / std::sqrt(0.3) * u + std::sqrt(0.2 - 0.01 / 0.3) * v;
    rows.push_back({a + 0.5 * b + p, 2.0 * b + 0.3 * p + std::sqrt(0.41) * q});
    for (double& number : rows.back()) {
      if (normal(random) > 1.0) number = std::nan("");
    }
  }
  return rows;
}

TEST_CASE("Particles of a linear model come near the Kalman filter") {
  const auto rows = crossed_rows(6, 100);
  double before = std::numeric_limits<double>::infinity();
  for (const std::int64_t count : {100, 1000, 10000}) {
    KalmanFilter kalman(crossed_model());
    ParticleFilter filter(StateModel(crossed_model()), {.particles = count, .seed = 3});
    FilterTick of_kalman;
    FilterTick of_particles;
    double sum = 0.0;
    double likelihoods = 0.0;
    for (const auto& row : rows) {
      kalman.predict();
      filter.predict();
      kalman.update(row, false, of_kalman);
      filter.update(row, false, of_particles);
      sum += std::pow(filter.mean()[0] - kalman.mean()[0], 2) / kalman.covariance()[0];
      likelihoods += of_particles.log_likelihood[0] - of_kalman.log_likelihood[0];
      CHECK(std::isnan(of_particles.nis[0]) == std::isnan(of_kalman.nis[0]));
    }
    const double distance = std::sqrt(sum / static_cast<double>(rows.size()));
    INFO(count << " particles: " << distance << " standard deviations, likelihood off by "
               << likelihoods);
    CHECK(distance < 5.0 / std::sqrt(static_cast<double>(count)));
    CHECK(distance < before);
    before = distance;
    if (count == 10000) CHECK(std::abs(likelihoods) < 2.0);
  }
}

TEST_CASE("A tick of particles is what a plain loop over them makes") {
  ParticleFilter filter(StateModel(crossed_model()),
                        {.particles = 300, .resample_below = 1.0, .seed = 11}, 2);
  const std::vector<double> row = {0.4, -1.2, kNaN, 2.0};
  FilterTick found;
  for (int tick = 0; tick < 3; ++tick) {
    filter.predict();
    const std::vector<double> particles(filter.particles().begin(), filter.particles().end());
    const std::vector<double> before(filter.weights().begin(), filter.weights().end());
    filter.update(row, false, found);
    for (std::size_t s = 0; s < 2; ++s) {
      std::vector<double> likely(300);
      double total = 0.0;
      for (std::size_t i = 0; i < 300; ++i) {
        const double* const x = particles.data() + (s * 300 + i) * 2;
        const double p = row[2 * s] - x[0] - 0.5 * x[1];
        const double q = row[2 * s + 1] - 2.0 * x[1];
        constexpr double determinant = 1.0 * 0.5 - 0.3 * 0.3;
        const double density =
            s == 0 ? std::exp(-0.5 * (0.5 * p * p - 0.6 * p * q + q * q) / determinant) /
                         (2.0 * std::numbers::pi * std::sqrt(determinant))
                   : std::exp(-0.5 * q * q / 0.5) / std::sqrt(2.0 * std::numbers::pi * 0.5);
        likely[i] = before[s * 300 + i] * density;
        total += likely[i];
      }
      CHECK(std::abs(found.log_likelihood[s] - std::log(total)) < 1e-10);
      double mean[2] = {0.0, 0.0};
      double crossed = 0.0;
      for (std::size_t i = 0; i < 300; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
          mean[j] += likely[i] / total * particles[(s * 300 + i) * 2 + j];
        }
      }
      for (std::size_t i = 0; i < 300; ++i) {
        const double* const x = particles.data() + (s * 300 + i) * 2;
        crossed += likely[i] / total * (x[0] - mean[0]) * (x[1] - mean[1]);
      }
      CHECK(std::abs(filter.mean()[2 * s] - mean[0]) < 1e-10);
      CHECK(std::abs(filter.mean()[2 * s + 1] - mean[1]) < 1e-10);
      CHECK(std::abs(filter.covariance()[4 * s + 1] - crossed) < 1e-10);
    }
    CHECK(std::isnan(found.innovation[2]));
  }
}

TEST_CASE("Particles are the same for any number of threads, and on resume") {
  const Series series = growth_series(2, 60);
  const auto run = [&](int threads, bool resumed) {
    set_num_threads(threads);
    ParticleFilter filter = growth_filter(5, 500);
    FilterTick found;
    for (std::size_t k = 0; k < series.seen.size(); ++k) {
      if (k == 20) filter.begin();  // a trial
      if (resumed && k == 37) {
        ParticleFilter other = growth_filter(5, 500);
        other.set_carried(filter.carried());
        CHECK(apart(other.mean(), filter.mean()) == 0.0);
        filter = other;
      }
      filter.predict();
      filter.update(std::span(&series.seen[k], 1), true, found);
    }
    set_num_threads(0);
    return filter.carried();
  };
  const auto one = run(1, false);
  CHECK(run(2, false) == one);
  CHECK(run(4, false) == one);
  CHECK(run(1, true) == one);
}

TEST_CASE("Trials and streams have random numbers of their own") {
  ParticleFilter filter(StateModel("particle", growth_model()), {.particles = 50}, 2);
  const std::vector<double> first(filter.particles().begin(), filter.particles().end());
  CHECK(apart(std::span(first).first(50), std::span(first).last(50)) > 0.1);
  filter.predict();
  filter.begin();
  CHECK(apart(filter.particles(), first) > 0.1);
  CHECK_FALSE(growth_filter(1).carried() == growth_filter(2).carried());
}

TEST_CASE("Quantiles are those of the weighted particles") {
  ParticleFilter filter = growth_filter(1, 4);
  auto numbers = filter.carried();
  const std::vector<double> known = {
      3.0,           -1.0,          2.0,           7.0,
      std::log(0.1), std::log(0.5), std::log(0.4), -std::numeric_limits<double>::infinity()};
  std::copy(known.begin(), known.end(), numbers.begin());
  filter.set_carried(numbers);
  CHECK(filter.quantile(0.0)[0] == -1.0);
  CHECK(filter.quantile(0.49)[0] == -1.0);
  CHECK(filter.quantile(0.51)[0] == 2.0);
  CHECK(filter.quantile(0.95)[0] == 3.0);
  CHECK(filter.quantile(1.0)[0] == 3.0);  // 7 has no weight
  CHECK(std::abs(filter.effective_particles()[0] - 1.0 / 0.42) < 1e-12);
  CHECK_THROWS_AS(filter.quantile(1.5), ArgumentError);
}

TEST_CASE("Noise without full rank moves particles along its own direction") {
  LinearModel model = crossed_model();
  model.A = {1.0, 0.0, 0.0, 1.0};
  model.Q = {1.0, 2.0, 2.0, 4.0};
  model.P0 = {0.0, 0.0, 0.0, 0.0};
  ParticleFilter filter(StateModel(model), {.particles = 100});
  filter.predict();
  double off = 0.0;
  double far = 0.0;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto x = filter.particles().subspan(2 * i, 2);
    off = std::max(off, std::abs(x[1] - 2.0 * x[0]));
    far = std::max(far, std::abs(x[0]));
  }
  CHECK(off < 1e-7);
  CHECK(far > 1.0);
}

TEST_CASE("Particles that cannot be weighed are refused") {
  LinearModel exact = crossed_model();
  exact.R = {0.0, 0.0, 0.0, 0.0};
  CHECK_THROWS_WITH_TEXT(ParticleFilter(StateModel(exact), {}), ArgumentError, "R: expected");
  CHECK_THROWS_WITH_TEXT(growth_filter(1, 0), ArgumentError, "particles");
  CHECK_THROWS_WITH_TEXT(ParticleFilter(StateModel(crossed_model()), {.resample_below = 2.0}),
                         ArgumentError, "resample_below");
  ParticleFilter filter = growth_filter(1, 10);
  FilterTick found;
  filter.predict();
  CHECK_THROWS_AS(filter.update(std::vector<double>{1.0, 2.0}, false, found), ShapeError);
  CHECK_THROWS_WITH_TEXT(
      filter.update(std::vector<double>{std::numeric_limits<double>::infinity()}, false, found),
      ArgumentError, "missing");
  CHECK_THROWS_WITH_TEXT(filter.update(std::vector<double>{1e300}, false, found), ArgumentError,
                         "none can");
  NonlinearModelOptions wild = growth_model();
  wild.text = {.state = "x = exp(exp(9 + x))", .observation = "y = x"};
  ParticleFilter runs_away(StateModel("particle", wild), {.particles = 10});
  CHECK_THROWS_WITH_TEXT(runs_away.predict(), ArgumentError, "finite");
}

}  // namespace gaia::test
