// SPDX-License-Identifier: MIT
#include "../../../src/agents/continuous/cross_entropy_method.h"

#include <algorithm>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../support/catch.h"

using namespace gaia;
using namespace gaia::agents;

namespace {

using Point = std::span<const double>;

template <class F>
CandidateValues each(F f) {
  return [f](Point candidates, std::int64_t count) {
    std::vector<double> values;
    const std::size_t size = candidates.size() / static_cast<std::size_t>(count);
    for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
      values.push_back(f(candidates.subspan(n * size, size)));
    }
    return values;
  };
}

/// Least, 0.5, at (0.3, -0.7, 2 beyond the bound): there (0.3, -0.7, 1) with 1.5.
double bowl(Point x) {
  return 0.5 + std::pow(x[0] - 0.3, 2) + 10 * std::pow(x[1] + 0.7, 2) + std::pow(x[2] - 2, 2);
}

const std::vector<double> kMiddle(3, 0.0), kLow(3, -1.0), kHigh(3, 1.0);

}  // namespace

TEST_CASE("The cross-entropy method finds the least value in a box") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CrossEntropyResult found = least_by_cross_entropy(each(bowl), kMiddle, kLow, kHigh,
                                                            {.population = 100,
                                                             .elites = 10,
                                                             .iterations = 20,
                                                             .least_deviation = 0.0,
                                                             .smoothing = 0.0},
                                                            {seed, 1});
    CHECK(found.best[0] == Approx(0.3).margin(1e-3));
    CHECK(found.best[1] == Approx(-0.7).margin(1e-3));
    CHECK(found.best[2] == Approx(1).epsilon(1e-12));  // the bound
    CHECK(found.value == bowl(found.best));
    CHECK(found.value == Approx(1.5).margin(1e-5));
    CHECK(found.best_values.size() == 20);
    CHECK(std::is_sorted(found.best_values.rbegin(), found.best_values.rend()));
    CHECK(found.deviation[0] < 1e-3);
  }
}

TEST_CASE("Mean and deviation become those of the elites, with a share of the old ones") {
  std::vector<double> seen;
  const CandidateValues values = [&](Point candidates, std::int64_t) {
    if (seen.empty()) seen.assign(candidates.begin(), candidates.end());
    std::vector<double> result;
    for (const double x : candidates) result.push_back(std::abs(x - 0.4));
    return result;
  };
  const std::vector<double> mean = {0.1}, low = {-2.0}, high = {2.0};
  const CrossEntropyOptions options{.population = 40,
                                    .elites = 5,
                                    .iterations = 1,
                                    .first_deviation = 0.5,
                                    .least_deviation = 0.0,
                                    .smoothing = 0.25};
  const CrossEntropyResult found = least_by_cross_entropy(values, mean, low, high, options, {7, 1});
  CHECK(seen[0] == 0.1);  // the mean is a candidate
  std::sort(seen.begin(), seen.end(),
            [](double a, double b) { return std::abs(a - 0.4) < std::abs(b - 0.4); });
  double sum = 0, squares = 0;
  for (int e = 0; e < 5; ++e) sum += seen[static_cast<std::size_t>(e)];
  for (int e = 0; e < 5; ++e) squares += std::pow(seen[static_cast<std::size_t>(e)] - sum / 5, 2);
  CHECK(found.mean[0] == Approx(0.25 * 0.1 + 0.75 * sum / 5).epsilon(1e-12));
  CHECK(found.deviation[0] == Approx(0.25 * 1.0 + 0.75 * std::sqrt(squares / 5)).epsilon(1e-12));
  CHECK(found.best[0] == seen[0]);

  CrossEntropyOptions wide = options;
  wide.least_deviation = 0.9;
  CHECK(least_by_cross_entropy(values, mean, low, high, wide, {7, 1}).deviation[0] == 1.8);
}

TEST_CASE("The first candidates spread as the options say") {
  std::vector<double> seen;
  const CandidateValues values = [&](Point candidates, std::int64_t count) {
    seen.assign(candidates.begin(), candidates.end());
    return std::vector<double>(static_cast<std::size_t>(count), 0.0);
  };
  const std::vector<double> mean = {5.0}, low = {-100.0}, high = {100.0};
  least_by_cross_entropy(
      values, mean, low, high,
      {.population = 20000, .elites = 1, .iterations = 1, .first_deviation = 0.03}, {8, 1});
  double sum = 0, squares = 0;
  for (const double x : seen) sum += x, squares += (x - 5) * (x - 5);
  CHECK(sum / 20000 == Approx(5).margin(0.1));
  CHECK(std::sqrt(squares / 20000) == Approx(3).epsilon(0.03));
}

TEST_CASE("The same draws give the same search, and others another") {
  const auto search = [](RandomStream stream, std::uint64_t first) {
    return least_by_cross_entropy(each(bowl), kMiddle, kLow, kHigh, {}, stream, first).best;
  };
  const std::uint64_t draws = cross_entropy_draws({}, 3);
  CHECK(draws == 150u * 4u * 3u);
  CHECK(search({1, 1}, 0) == search({1, 1}, 0));
  CHECK(search({1, 1}, 0) != search({1, 1}, draws));
  CHECK(search({1, 1}, 0) != search({2, 1}, 0));
}

TEST_CASE("Mean and best of all before are among the candidates") {
  std::vector<std::vector<double>> seen;
  const CandidateValues values = [&](Point candidates, std::int64_t) {
    seen.emplace_back(candidates.begin(), candidates.end());
    std::vector<double> result;
    for (const double x : candidates) result.push_back(std::abs(x - 0.4));
    return result;
  };
  const std::vector<double> mean = {0.1}, low = {-2.0}, high = {2.0};
  const CrossEntropyResult found = least_by_cross_entropy(
      values, mean, low, high, {.population = 10, .elites = 3, .iterations = 3}, {7, 1});
  REQUIRE(seen.size() == 3);
  CHECK(seen[0][0] == 0.1);
  for (std::size_t k = 1; k < 3; ++k) {
    CHECK(std::abs(seen[k][1] - 0.4) == found.best_values[k - 1]);
  }
}

TEST_CASE("Candidates without a finite value are not among the best") {
  const auto f = each([](Point x) { return x[0] < 0 ? NAN : x[0] > 0.5 ? -INFINITY : 1 + x[0]; });
  const CrossEntropyResult found =
      least_by_cross_entropy(f, kMiddle, kLow, kHigh, {.iterations = 8}, {1, 1});
  CHECK(found.best[0] >= 0);
  CHECK(found.best[0] <= 0.5);
  CHECK(found.value == Approx(1).margin(0.02));
}

TEST_CASE("A search that cannot be is refused") {
  const auto search = [](const CrossEntropyOptions& options) {
    return least_by_cross_entropy(each(bowl), kMiddle, kLow, kHigh, options, {1, 1});
  };
  CHECK_THROWS_WITH_TEXT(search({.population = 1}), ArgumentError, "population");
  CHECK_THROWS_WITH_TEXT(search({.population = 5, .elites = 6}), ArgumentError, "elites");
  CHECK_THROWS_WITH_TEXT(search({.iterations = 0}), ArgumentError, "iterations");
  CHECK_THROWS_WITH_TEXT(search({.first_deviation = 0}), ArgumentError, "first_deviation");
  CHECK_THROWS_WITH_TEXT(search({.least_deviation = -1}), ArgumentError, "least_deviation");
  CHECK_THROWS_WITH_TEXT(search({.smoothing = 1}), ArgumentError, "smoothing");
  const std::vector<double> short_bound(2, 0.0);
  CHECK_THROWS_WITH_TEXT(
      least_by_cross_entropy(each(bowl), kMiddle, short_bound, kHigh, {}, {1, 1}), ArgumentError,
      "3, 2 and 3");
}
