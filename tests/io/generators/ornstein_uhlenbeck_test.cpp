// SPDX-License-Identifier: MIT
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/io/generators/ornstein_uhlenbeck.h"
#include "../../support/catch.h"
#include "../../support/statistics.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

double product(const std::vector<double>& a, const std::vector<double>& b, std::size_t lag = 0) {
  double sum = 0.0;
  for (std::size_t t = lag; t < a.size(); ++t) sum += a[t] * b[t - lag];
  return sum / static_cast<double>(a.size() - lag);
}

TEST_CASE("ornstein_uhlenbeck latents have variance 1 and autocorrelation e^(-lag/tau)") {
  const std::vector<double> taus = {1.0, 4.0, 40.0};
  const auto series = make_ornstein_uhlenbeck({.tau = taus, .channels = 3}, 200000, 1);
  const std::vector<double> u = read_all_latents(*series);
  for (std::size_t k = 0; k < taus.size(); ++k) {
    const std::vector<double> latent = column(u, 3, k);
    // The variance of a correlation is about tau / rows.
    const double margin = 5.0 * std::sqrt(taus[k] / 200000.0);
    INFO("tau " << taus[k]);
    CHECK(product(latent, latent) == Approx(1.0).margin(1.5 * margin));
    for (const std::size_t lag : {1u, 2u, 5u, 20u, 80u}) {
      INFO("lag " << lag);
      CHECK(product(latent, latent, lag) / product(latent, latent) ==
            Approx(std::exp(-static_cast<double>(lag) / taus[k])).margin(margin));
    }
    for (std::size_t other = 0; other < k; ++other) {
      CHECK(product(latent, column(u, 3, other)) == Approx(0.0).margin(margin));
    }
  }
}

TEST_CASE("ornstein_uhlenbeck is stationary from its first row") {
  // Row 0 of many seeds: a standard normal sample, even for a tau longer than the series.
  std::vector<double> start;
  std::vector<double> second;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const auto series = make_ornstein_uhlenbeck({.tau = {50.0}, .channels = 1}, 2, seed);
    const std::vector<double> u = read_all_latents(*series);
    start.push_back(u[0]);
    second.push_back(u[1]);
  }
  CHECK(test::kolmogorov_smirnov(start, test::normal_cdf) < 1.95);
  CHECK(test::kolmogorov_smirnov(second, test::normal_cdf) < 1.95);
  CHECK(product(start, second) == Approx(std::exp(-1.0 / 50.0)).margin(0.1));
}

TEST_CASE("ornstein_uhlenbeck steps are independent normal numbers") {
  const double tau = 7.0;
  const auto series = make_ornstein_uhlenbeck({.tau = {tau}, .channels = 1}, 20001, 9);
  const std::vector<double> u = read_all_latents(*series);
  std::vector<double> xi;
  for (std::size_t t = 0; t + 1 < u.size(); ++t) {
    xi.push_back((u[t + 1] - std::exp(-1.0 / tau) * u[t]) / std::sqrt(1.0 - std::exp(-2.0 / tau)));
  }
  CHECK(test::kolmogorov_smirnov(xi, test::normal_cdf) < 1.95);
  CHECK(product(xi, xi, 1) == Approx(0.0).margin(0.03));
}

TEST_CASE("ornstein_uhlenbeck channels are an orthonormal mixture of the latents") {
  const auto series = make_ornstein_uhlenbeck({.tau = {4.0, 40.0, 400.0}, .channels = 16}, 500, 3);
  const std::vector<double> x = read_all(*series);
  const std::vector<double> u = read_all_latents(*series);
  // |M a|^2 = |a|^2 for all a, so every product of two samples equals that of their latents.
  for (std::size_t s = 0; s < 500; s += 7) {
    for (std::size_t t = s; t < 500; t += 31) {
      double of_x = 0.0;
      double of_u = 0.0;
      for (std::size_t c = 0; c < 16; ++c) of_x += x[s * 16 + c] * x[t * 16 + c];
      for (std::size_t k = 0; k < 3; ++k) of_u += u[s * 3 + k] * u[t * 3 + k];
      CHECK(of_x == Approx(of_u).margin(1e-12));
    }
  }
}

TEST_CASE("ornstein_uhlenbeck mixes alike with and without noise") {
  const OrnsteinUhlenbeckOptions quiet{.tau = {4.0, 40.0}, .channels = 4};
  OrnsteinUhlenbeckOptions loud = quiet;
  loud.noise = 1.5;
  const auto a = make_ornstein_uhlenbeck(quiet, 5000, 3);
  const auto b = make_ornstein_uhlenbeck(loud, 5000, 3);
  CHECK(read_all_latents(*a) == read_all_latents(*b));
  const std::vector<double> x = read_all(*a);
  std::vector<double> noise = read_all(*b);
  for (std::size_t i = 0; i < x.size(); ++i) noise[i] -= x[i];
  CHECK(product(noise, noise) == Approx(2.25).epsilon(0.05));
}

TEST_CASE("ornstein_uhlenbeck keeps its precision for very long and very short tau") {
  const auto slow = make_ornstein_uhlenbeck({.tau = {1e16}, .channels = 1}, 1000, 3);
  const std::vector<double> still = read_all_latents(*slow);
  CHECK(still[999] == Approx(still[0]).margin(1e-6));
  CHECK(still[999] != still[0]);
  const auto fast = make_ornstein_uhlenbeck({.tau = {1e-3}, .channels = 1}, 4000, 3);
  CHECK(test::kolmogorov_smirnov(read_all_latents(*fast), test::normal_cdf) < 1.95);
}

TEST_CASE("ornstein_uhlenbeck refuses options that make no series") {
  CHECK_THROWS_WITH(make_ornstein_uhlenbeck({}, 3, 0),
                    "[ornstein_uhlenbeck] tau: expected at least one number, got none");
  CHECK_THROWS_WITH(make_ornstein_uhlenbeck({.tau = {4.0, 0.0}, .channels = 2}, 3, 0),
                    "[ornstein_uhlenbeck] tau[1]: expected a number above 0, got 0");
  CHECK_THROWS_WITH(make_ornstein_uhlenbeck({.tau = {4.0, 40.0}, .channels = 1}, 3, 0),
                    "[ornstein_uhlenbeck] channels: expected at least 2, one for each tau, got 1");
  CHECK_THROWS_WITH(
      make_ornstein_uhlenbeck({.tau = {4.0}, .channels = 1000000}, 3, 0),
      "[ornstein_uhlenbeck] channels: expected an integer from 1 to 100000, got 1000000");
}

}  // namespace
}  // namespace gaia
