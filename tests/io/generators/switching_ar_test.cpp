// SPDX-License-Identifier: MIT
#include "../../../src/io/generators/switching_ar.h"

#include <algorithm>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/statistics.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

const SwitchingArOptions kTwo{
    .coefficients = {{0.9}, {0.5, -0.8}}, .deviations = {0.5, 2.0}, .dwell = 50.0, .noise = 0.0};

/// What drives s at the rows of one regime that have two before them, by the equation of `two`.
std::vector<double> drive(const SwitchingArOptions& two, const std::vector<double>& s,
                          const std::vector<double>& regime, double of) {
  std::vector<double> xi;
  for (std::size_t t = 2; t < s.size(); ++t) {
    if (regime[t] != of) continue;
    const auto& a = two.coefficients[static_cast<std::size_t>(of)];
    double rest = s[t];
    for (std::size_t i = 0; i < a.size(); ++i) rest -= a[i] * s[t - 1 - i];
    xi.push_back(rest / two.deviations[static_cast<std::size_t>(of)]);
  }
  return xi;
}

TEST_CASE("switching_ar obeys the equation of the regime that it is in") {
  const auto series = make_switching_ar(kTwo, 40000, 3);
  const std::vector<double> latents = read_all_latents(*series);
  const std::vector<double> s = column(latents, 2, 0);
  const std::vector<double> regime = column(latents, 2, 1);
  CHECK(read_all(*series) == s);  // without noise
  for (const double of : {0.0, 1.0}) {
    const std::vector<double> xi = drive(kTwo, s, regime, of);
    REQUIRE(xi.size() > 10000);
    CHECK(test::kolmogorov_smirnov(
              xi, [](double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); }) < 1.95);
  }
}

TEST_CASE("switching_ar stays in a regime for `dwell` rows on average, then goes to any other") {
  SwitchingArOptions options{.coefficients = {{0.1}, {0.2}, {0.3}}, .dwell = 20.0};
  constexpr std::size_t rows = 60000;
  const std::vector<double> regime =
      column(read_all_latents(*make_switching_ar(options, rows, 8)), 2, 1);
  double changes = 0.0;
  double up = 0.0;
  for (std::size_t t = 1; t < rows; ++t) {
    if (regime[t] == regime[t - 1]) continue;
    changes += 1.0;
    up += std::fmod(regime[t] - regime[t - 1] + 3.0, 3.0) == 1.0 ? 1.0 : 0.0;
  }
  CHECK(changes == Approx(rows / 20.0).epsilon(0.06));
  CHECK(up == Approx(changes / 2.0).epsilon(0.06));
  for (const double r : {0.0, 1.0, 2.0}) {
    CHECK(static_cast<double>(std::count(regime.begin(), regime.end(), r)) ==
          Approx(rows / 3.0).epsilon(0.06));
  }
}

TEST_CASE(
    "switching_ar begins with nothing before its first row, and noise is beside the process") {
  SwitchingArOptions options = kTwo;
  options.washout = 0;
  options.noise = 0.1;
  const auto series = make_switching_ar(options, 3000, 4);
  const std::vector<double> latents = read_all_latents(*series);
  const std::vector<double> x = read_all(*series);
  std::vector<double> noise;
  for (std::size_t t = 0; t < x.size(); ++t) noise.push_back((x[t] - latents[2 * t]) / 0.1);
  CHECK(test::kolmogorov_smirnov(
            noise, [](double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); }) < 1.95);
  // The same process as with a washout, from its first row on.
  SwitchingArOptions later = options;
  later.washout = 100;
  const std::vector<double> rest = read_all_latents(*make_switching_ar(later, 50, 4));
  for (std::size_t t = 0; t < 50; ++t) CHECK(rest[2 * t] == latents[2 * (t + 100)]);
}

TEST_CASE("switching_ar refuses what is no process") {
  const auto make = [](const SwitchingArOptions& options) { make_switching_ar(options, 10, 1); };
  CHECK_THROWS_WITH_TEXT(make({}), ArgumentError,
                         "[switching_ar] coefficients: expected 1 to 1000");
  CHECK_THROWS_WITH_TEXT(make({.coefficients = {{0.5}, {}}}), ArgumentError,
                         "[switching_ar] coefficients[1]: expected at least one number");
  CHECK_THROWS_WITH_TEXT(make({.coefficients = {{0.5}, {0.1}}, .deviations = {1.0}}), ArgumentError,
                         "[switching_ar] deviations: expected 2 numbers, one for each of the");
  CHECK_THROWS_AS(make({.coefficients = {{0.5}}, .dwell = 0.5}), ArgumentError);
  const auto grows = make_switching_ar({.coefficients = {{9.0}}, .washout = 0}, 1000, 1);
  CHECK_THROWS_WITH_TEXT(read_all(*grows), DataError, "of regime 0 is no longer finite");
}

}  // namespace
}  // namespace gaia
