// SPDX-License-Identifier: MIT
/// \file
/// CMA-ES compared with another program's, on functions whose minimum is known.
#include "../../src/search/cma_es.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "../../src/core/error.h"
#include "../reference/pycma/evaluations.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

using Point = std::vector<double>;
constexpr double kTarget = 1e-9;

double sphere(const Point& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum;
}

double ellipsoid(const Point& x) {
  double sum = 0;
  const auto last = static_cast<double>(x.size() - 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += std::pow(10.0, 6 * static_cast<double>(i) / last) * x[i] * x[i];
  }
  return sum;
}

double rosenbrock(const Point& x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    sum += 100 * std::pow(x[i] * x[i] - x[i + 1], 2) + std::pow(x[i] - 1, 2);
  }
  return sum;
}

double rastrigin(const Point& x) {
  double sum = 10 * static_cast<double>(x.size());
  for (const double v : x) sum += v * v - 10 * std::cos(2 * std::numbers::pi * v);
  return sum;
}

template <class Function>
void tell(CmaEs& strategy, const Function& function) {
  std::vector<double> values;
  for (const Point& x : strategy.ask()) values.push_back(function(x));
  strategy.tell(values);
}

/// Evaluations to get below the target; 0: it did not get there.
std::int64_t evaluations(double (*function)(const Point&), CmaEs strategy) {
  std::int64_t count = 0;
  while (strategy.why_stopped().empty() && count < 200000) {
    tell(strategy, function);
    count += strategy.population();
    if (strategy.state().best_value < kTarget) return count;
  }
  return 0;
}

double median(std::vector<std::int64_t> counts) {
  std::sort(counts.begin(), counts.end());
  return static_cast<double>(counts[counts.size() / 2]);
}

}  // namespace

TEST_CASE("CMA-ES takes no more evaluations than another program's, within 15 %") {
  for (const test::pycma::Median& other : test::pycma::medians) {
    if (other.parameters > 10) continue;  // which would take a minute
    INFO(other.function << " of " << other.parameters << " parameters");
    const bool is_rosenbrock = other.function == "rosenbrock";
    auto* const function = is_rosenbrock                   ? rosenbrock
                           : other.function == "ellipsoid" ? ellipsoid
                                                           : sphere;
    std::vector<std::int64_t> counts;
    for (std::int64_t seed = 1; seed <= other.seeds; ++seed) {
      const auto size = static_cast<std::size_t>(other.parameters);
      counts.push_back(evaluations(
          function, CmaEs(Point(size, is_rosenbrock ? 0.1 : 1.0), is_rosenbrock ? 0.1 : 0.5,
                          {.random = {static_cast<std::uint64_t>(seed), 1}})));
      CHECK(counts.back() > 0);
    }
    CHECK(median(counts) <= 1.15 * other.evaluations);
    CHECK(median(counts) >= 0.85 * other.evaluations);
  }
}

TEST_CASE("CMA-ES finds the best of many minima as often as another program's") {
  for (const test::pycma::Successes& other : test::pycma::rastrigin) {
    INFO(other.parameters << " parameters, population " << other.population);
    int solved = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      const Point start(static_cast<std::size_t>(other.parameters), 3.0);
      const CmaEs strategy(start, 2.0, {.population = other.population, .random = {seed, 1}});
      solved += evaluations(rastrigin, strategy) > 0 ? 1 : 0;
    }
    // Two standard deviations of the difference of two such counts.
    const double share = other.of_300 / 300.0;
    CHECK(solved >= other.of_300 - 2 * std::sqrt(2 * 300 * share * (1 - share)));
  }
}

TEST_CASE("variances alone are learnt faster where no direction is oblique") {
  constexpr std::size_t kParameters = 60;
  const CmaEsOptions full = {.random = {1, 1}};
  CmaEsOptions separable = full;
  separable.separable = true;
  const std::int64_t few = evaluations(ellipsoid, CmaEs(Point(kParameters, 1.0), 0.5, separable));
  REQUIRE(few > 0);
  // All covariances would take more than three times as many (48 750 at 40 parameters).
  CHECK(few < 20000);
}

TEST_CASE("no parameter has steps above the largest, and those of others stay as long") {
  for (const bool separable : {false, true}) {
    // The second parameter has no effect, so its steps would walk anywhere.
    const auto slope = [](const Point& x) { return -x[0] + 1e-3 * std::sin(40 * x[1]); };
    CmaEs strategy({0.0, 0.0}, 2.0,
                   {.separable = separable, .largest_step = 0.5, .random = {4, 1}});
    CHECK(strategy.state().step == 0.5);
    double longest = 0;
    for (int generation = 0; generation < 60; ++generation) {
      tell(strategy, slope);
      const CmaEsState& state = strategy.state();
      for (const std::size_t i : {0, 1}) {
        const double variance = state.covariance[separable ? i : 3 * i];
        CHECK(state.step * std::sqrt(variance) <= 0.5 * (1 + 1e-12));
        if (i == 0) longest = std::max(longest, state.step * std::sqrt(variance));
      }
    }
    CHECK(longest > 0.49);
  }
  CHECK_THROWS_WITH_TEXT(CmaEs({1.0}, 1.0, {.largest_step = 0.0}), ArgumentError,
                         "[cma_es] the largest step must be > 0, got 0.0");
}

TEST_CASE("a strategy asks the same until it is told, and is told its candidates' values") {
  CmaEs strategy({1.0, -2.0, 0.5}, 0.3, {.random = {3, 4}});
  CHECK(strategy.population() == 7);
  CHECK(strategy.ask() == strategy.ask());
  const std::vector<Point> first = strategy.ask();
  CHECK_THROWS_WITH_TEXT(strategy.tell(std::vector<double>(6)), ArgumentError,
                         "[cma_es] expected the values of 7 candidates, got 6");
  std::vector<double> values = {3, 2, std::numeric_limits<double>::quiet_NaN(), 1, 5, 6, 7};
  strategy.tell(values);
  CHECK(strategy.state().best == first[3]);
  CHECK(strategy.state().best_value == 1);
  CHECK(strategy.state().generation == 1);
  CHECK(strategy.ask() != first);
}

TEST_CASE("values of a generation that are all NaN lead nowhere, and lose nothing") {
  CmaEs strategy({1.0, 2.0}, 0.5, {.random = {3, 4}});
  strategy.tell(std::vector<double>(6, std::numeric_limits<double>::quiet_NaN()));
  for (const Point& x : strategy.ask()) {
    for (const double v : x) CHECK(std::isfinite(v));
  }
  tell(strategy, sphere);
  CHECK(std::isfinite(strategy.state().best_value));
}

TEST_CASE("the covariance becomes the inverse of the function's curvature") {
  CmaEs strategy({1.0, 1.0}, 0.5, {.random = {5, 1}});
  const auto oblique = [](const Point& x) {
    return 100 * std::pow(x[0] + x[1], 2) + std::pow(x[0] - x[1], 2);
  };
  for (int i = 0; i < 80; ++i) tell(strategy, oblique);
  const std::vector<double>& c = strategy.state().covariance;
  const double along = c[0] - c[1] - c[2] + c[3], across = c[0] + c[1] + c[2] + c[3];
  CHECK(along / across > 30);
  CHECK(along / across < 300);
}

TEST_CASE("a strategy tells why going on has no use") {
  CmaEs flat({1.0, 2.0}, 0.5, {.random = {3, 4}});
  while (flat.why_stopped().empty()) tell(flat, [](const Point&) { return 1.0; });
  CHECK(flat.why_stopped() == "the values no longer differ");
  CHECK(flat.state().generation < 100);
  CmaEs done({1.0, 2.0}, 0.5, {.value_tolerance = 0, .random = {3, 4}});
  while (done.why_stopped().empty()) tell(done, sphere);
  CHECK(done.why_stopped() == "the steps are too small to matter");
}

TEST_CASE("what no strategy can begin with is refused") {
  CHECK_THROWS_WITH_TEXT(CmaEs({}, 1.0), ArgumentError, "at least one parameter");
  CHECK_THROWS_WITH_TEXT(CmaEs({1.0}, 0.0), ArgumentError, "the step must be > 0, got 0");
  CHECK_THROWS_WITH_TEXT(CmaEs({std::nan("")}, 1.0), ArgumentError, "the mean must be finite");
  CHECK_THROWS_WITH_TEXT(CmaEs({1.0}, 1.0, {.population = 3}), ArgumentError,
                         "the population must be at least 4, got 3; 0 chooses one");
}
