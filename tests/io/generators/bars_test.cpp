// SPDX-License-Identifier: MIT
#include "../../../src/io/generators/bars.h"

#include <algorithm>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

double mean_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum / static_cast<double>(a.size());
}

TEST_CASE("bars shows a pixel where a bar lies or stands, and no more where two cross") {
  const auto series = make_bars({.size = 3, .probability = 0.4}, 2000, 5);
  CHECK(series->channel_names() ==
        std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8"});
  CHECK(series->latent_names() ==
        std::vector<std::string>{"bar0", "bar1", "bar2", "bar3", "bar4", "bar5"});
  const std::vector<double> x = read_all(*series);
  const std::vector<double> bars = read_all_latents(*series);
  std::size_t crossings = 0;
  for (std::size_t t = 0; t < 2000; ++t) {
    const double* const bar = &bars[6 * t];
    for (std::size_t k = 0; k < 6; ++k) REQUIRE((bar[k] == 0.0 || bar[k] == 1.0));
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t across = 0; across < 3; ++across) {
        const bool lies = bar[row] == 1.0;
        const bool stands = bar[3 + across] == 1.0;
        REQUIRE(x[9 * t + 3 * row + across] == (lies || stands ? 1.0 : 0.0));
        crossings += lies && stands ? 1 : 0;
      }
    }
  }
  CHECK(crossings > 1000);  // 2880 are expected
}

TEST_CASE("bars are there with their probability, independently of each other and before") {
  const std::size_t rows = 40000;
  for (const double p : {0.125, 0.6}) {
    const auto series = make_bars({.probability = p}, static_cast<std::int64_t>(rows), 3);
    const std::vector<double> bars = read_all_latents(*series);
    const double margin = 0.012;  // 4.8 deviations where they are largest
    for (std::size_t k = 0; k < 16; ++k) {
      const std::vector<double> one = column(bars, 16, k);
      CHECK(mean_of(one, one) == Approx(p).margin(margin));
      const std::vector<double> other = column(bars, 16, (k + 8) % 16);
      CHECK(mean_of(one, other) == Approx(p * p).margin(margin));
      CHECK(mean_of({one.begin() + 1, one.end()}, {one.begin(), one.end() - 1}) ==
            Approx(p * p).margin(margin));
    }
  }
}

TEST_CASE("bars at probabilities 0 and 1 are never and always there") {
  const std::vector<double> none = read_all(*make_bars({.size = 2, .probability = 0.0}, 50, 1));
  CHECK(std::ranges::all_of(none, [](double x) { return x == 0.0; }));
  const std::vector<double> all = read_all(*make_bars({.size = 2, .probability = 1.0}, 50, 1));
  CHECK(std::ranges::all_of(all, [](double x) { return x == 1.0; }));
}

TEST_CASE("bars refuses what it cannot make") {
  CHECK_THROWS_WITH_TEXT(make_bars({.size = 0}, 10, 1), ArgumentError, "[bars] size: expected");
  CHECK_THROWS_WITH_TEXT(make_bars({.size = 257}, 10, 1), ArgumentError, "[bars] size: expected");
  CHECK_THROWS_WITH_TEXT(make_bars({.probability = 1.5}, 10, 1), ArgumentError,
                         "[bars] probability: expected a number from 0 to 1, got 1.5");
  CHECK_THROWS_WITH_TEXT(make_bars({}, 0, 1), ArgumentError, "[bars]");
}

}  // namespace
}  // namespace gaia
