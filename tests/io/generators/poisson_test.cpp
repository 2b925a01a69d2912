// SPDX-License-Identifier: MIT
#include "../../../src/io/generators/poisson.h"

#include <cmath>
#include <numbers>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

double mean(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

/// Mean of a(t) b(t + lag), less the product of the means.
double covariance(const std::vector<double>& a, const std::vector<double>& b, std::size_t lag) {
  double sum = 0.0;
  for (std::size_t t = lag; t < a.size(); ++t) sum += a[t - lag] * b[t];
  return sum / static_cast<double>(a.size() - lag) - mean(a) * mean(b);
}

TEST_CASE("poisson spikes come at their rates, as zeros and ones") {
  constexpr std::size_t kRows = 100000;
  const std::vector<double> rates = {0.5, 0.1, 0.01, 0.0, 1.0};
  const std::vector<double> x = read_all(*make_poisson({.rates = rates}, kRows, 2));
  for (const double value : x) REQUIRE((value == 0.0 || value == 1.0));
  for (std::size_t c = 0; c < rates.size(); ++c) {
    INFO(c);
    const double error = std::sqrt(rates[c] * (1.0 - rates[c]) / kRows);
    CHECK(std::abs(mean(column(x, rates.size(), c)) - rates[c]) <= 4.0 * error);
  }
}

TEST_CASE("poisson spikes know nothing of other channels, nor of steps before") {
  constexpr std::size_t kRows = 100000;
  const std::vector<double> rates = {0.3, 0.5, 0.05};
  const std::vector<double> x = read_all(*make_poisson({.rates = rates}, kRows, 5));
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      for (const std::size_t lag : {0U, 1U, 2U, 7U}) {
        if (a == b && lag == 0) continue;
        INFO(a << ", " << b << ", " << lag);
        const double error = std::sqrt(rates[a] * (1.0 - rates[a]) * rates[b] * (1.0 - rates[b]) /
                                       static_cast<double>(kRows));
        CHECK(std::abs(covariance(column(x, 3, a), column(x, 3, b), lag)) < 4.5 * error);
      }
    }
  }
}

TEST_CASE("poisson rates follow the drive as far as their depths say") {
  constexpr std::size_t kRows = 100000;
  const auto series = make_poisson(
      {.rates = {0.4, 0.2, 0.3}, .depths = {0.5, -1.0, 0.0}, .period = 40.0}, kRows, 3);
  const std::vector<double> x = read_all(*series);
  const std::vector<double> drive = read_all_latents(*series);
  bool is_sine = true;
  for (std::size_t t = 0; t < kRows; ++t) {
    const double expected = std::sin(2.0 * std::numbers::pi * static_cast<double>(t % 40) / 40.0);
    is_sine = is_sine && std::abs(drive[t] - expected) < 1e-12;
  }
  CHECK(is_sine);
  // Covariance of x(t) with the drive: r d / 2.  Standard errors are at most sqrt(1/8 / 100000) =
  // 0.0011.
  CHECK(covariance(column(x, 3, 0), drive, 0) == Approx(0.1).margin(0.005));
  CHECK(covariance(column(x, 3, 1), drive, 0) == Approx(-0.1).margin(0.005));
  CHECK(covariance(column(x, 3, 2), drive, 0) == Approx(0.0).margin(0.005));
  // Covariance of two channels: r d r d / 2, at every lag times the cosine.  Standard errors are
  // below 0.001.
  CHECK(covariance(column(x, 3, 0), column(x, 3, 1), 0) == Approx(-0.02).margin(0.004));
  CHECK(covariance(column(x, 3, 0), column(x, 3, 1), 20) == Approx(0.02).margin(0.004));
  CHECK(covariance(column(x, 3, 0), column(x, 3, 2), 0) == Approx(0.0).margin(0.004));
  CHECK(mean(column(x, 3, 0)) == Approx(0.4).margin(0.007));
  CHECK(mean(column(x, 3, 1)) == Approx(0.2).margin(0.006));
}

TEST_CASE("poisson drives of any period keep their phase") {
  const auto series = make_poisson({.rates = {0.5}, .depths = {1.0}, .period = 0.75}, 10, 0);
  std::vector<double> drive(10);
  series->read_latents(0, 10, drive);
  for (std::size_t t = 0; t < 10; ++t) {
    CHECK(drive[t] ==
          Approx(std::sin(2.0 * std::numbers::pi * static_cast<double>(t) / 0.75)).margin(1e-12));
  }
}

TEST_CASE("poisson refuses options that make no series") {
  const auto message = [](const PoissonOptions& options) {
    return test::complaint_of<ArgumentError>([&] { make_poisson(options, 3, 0); });
  };
  CHECK_THAT(message({}), Catch::Matchers::StartsWith("[poisson] rates: expected at least one"));
  CHECK_THAT(message({.rates = {0.1, 1.5}}),
             Catch::Matchers::StartsWith("[poisson] rates[1]: expected a number from 0 to 1"));
  CHECK(message({.rates = {0.1, 0.2}, .depths = {0.5}}) ==
        "[poisson] depths: expected 2 numbers, one for each of the rates, got 1");
  CHECK_THAT(message({.rates = {0.1}, .depths = {-2.0}}),
             Catch::Matchers::StartsWith("[poisson] depths[0]: expected a number from -1 to 1"));
  CHECK(message({.rates = {0.1, 0.75}, .depths = {0.5, 0.5}}) ==
        "[poisson] depths[1]: expected rates[1] times 1 + the depth to be a probability, at most "
        "1, got 1.125");
  CHECK(message({.rates = {0.1}, .period = 0.0}) ==
        "[poisson] period: expected a number above 0, got 0");
}

}  // namespace
}  // namespace gaia
