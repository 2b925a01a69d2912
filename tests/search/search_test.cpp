// SPDX-License-Identifier: MIT
#include "../../src/search/search.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "../../src/core/error.h"
#include "../reference/pycma/evaluations.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

using Values = std::vector<double>;

double distance(const Values& v) {
  return std::pow(std::log(v[0] / 0.02), 2) + std::pow((v[1] - 30) / 50, 2);
}

/// Of two numbers within some 5 of 0 it has a hundred minima, of which one is the best.
double rastrigin(const Values& v) {
  double sum = 0;
  for (const double x : v) sum += 10 + x * x - 10 * std::cos(2 * std::numbers::pi * x);
  return sum;
}

SearchSpace rate_and_tau() {
  return SearchSpace({SearchParameter::log("rate", 1e-5, 1), SearchParameter::real("tau", 1, 100)});
}

}  // namespace

TEST_CASE("a search finds a rate on its scale and a time constant on its own") {
  const SearchResult found =
      search(distance, rate_and_tau(), {.evaluations = 600, .random = {1, 2}});
  CHECK(found.best[0] == Approx(0.02).epsilon(1e-4));
  CHECK(found.best[1] == Approx(30).epsilon(1e-4));
  CHECK(found.objective == distance(found.best));
  CHECK(found.history.size() >= 600);
  CHECK(found.why_stopped == "all evaluations are done");
  for (const SearchTrial& trial : found.history) CHECK(trial.objective >= found.objective);
}

TEST_CASE(
    "a search ends with the generation that reaches its target, and begins where it is told") {
  const SearchResult found =
      search(distance, rate_and_tau(),
             {.target = 1e-3, .start = {0.01, 20}, .step = 0.05, .random = {1, 2}});
  CHECK(found.why_stopped == "the target is reached");
  CHECK(found.objective <= 1e-3);
  CHECK(found.history.size() < 300);
  for (std::size_t k = 0; k < 6; ++k) {  // the first generation
    CHECK(std::abs(std::log(found.history[k].values[0] / 0.01)) < 2.5);
  }
}

TEST_CASE("a search that was cut goes on by its history, to the same end") {
  for (const SearchMethod method : {SearchMethod::cma_es, SearchMethod::random}) {
    const SearchOptions options = {.method = method, .evaluations = 200, .random = {5, 6}};
    const SearchResult whole = search(distance, rate_and_tau(), options);
    Search cut(rate_and_tau(), options);
    std::size_t told = 0;
    while (!cut.is_done()) {
      Values objectives;
      for (const Values& values : cut.ask()) {
        REQUIRE(values == whole.history[told].values);
        objectives.push_back(whole.history[told++].objective);
      }
      cut.tell(objectives);
    }
    CHECK(told == whole.history.size());
    CHECK(cut.result().best == whole.best);
    CHECK(cut.result().objective == whole.objective);
    CHECK_THROWS_WITH_TEXT(cut.tell({}), ArgumentError, "the search is done: all evaluations");
  }
}

TEST_CASE("a search that gets no further begins again with twice the population") {
  const SearchSpace space({SearchParameter::real("a", -4, 6), SearchParameter::real("b", -6, 4)});
  int solved = 0, begun_again = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const SearchResult found =
        search(rastrigin, space, {.evaluations = 20000, .target = 1e-9, .random = {seed, 1}});
    solved += found.objective <= 1e-9 ? 1 : 0;
    begun_again += found.restarts > 0 ? 1 : 0;
    std::set<std::int64_t> sizes;
    for (std::size_t k = 0; k < found.history.size();) {
      const std::int64_t generation = found.history[k].generation;
      std::int64_t size = 0;
      for (; k < found.history.size() && found.history[k].generation == generation; ++k) ++size;
      sizes.insert(size);
    }
    CHECK(static_cast<std::int64_t>(sizes.size()) == found.restarts + 1);
    for (const std::int64_t size : sizes)
      CHECK((size % 6 == 0 && (size / 6 & (size / 6 - 1)) == 0));
  }
  CHECK(solved == 10);
  CHECK(begun_again > 0);
}

TEST_CASE("a search with a long first step finds the best of many minima as often as pycma") {
  const SearchSpace space(
      {SearchParameter::real("a", -5.12, 5.12), SearchParameter::real("b", -5.12, 5.12)});
  for (const double step : {0.5, 1.0}) {
    INFO("step " << step);
    int solved = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      const SearchResult found = search(rastrigin, space,
                                        {.evaluations = 3000,
                                         .target = 1e-9,
                                         .start = {3, 3},
                                         .step = step,
                                         .random = {seed, 1}});
      solved += found.objective <= 1e-9 ? 1 : 0;
    }
    // Two standard deviations of the difference of two such counts.
    const double share = test::pycma::bounded_of_300 / 300.0;
    CHECK(solved >= test::pycma::bounded_of_300 - 2 * std::sqrt(2 * 300 * share * (1 - share)));
  }
}

TEST_CASE("whole numbers and choices are searched") {
  const SearchSpace space(
      {SearchParameter::integer("size", 1, 64), SearchParameter::choice("kind", 3)});
  const SearchResult found =
      search([](const Values& v) { return std::pow(v[0] - 37, 2) + (v[1] == 2 ? 0 : 50); }, space,
             {.evaluations = 400, .random = {3, 1}});
  CHECK(found.best == Values{37, 2});
  CHECK(found.objective == 0);
}

TEST_CASE("objectives that are no numbers are worse than all") {
  const auto partly = [](const Values& v) {
    return v[0] < 0.3 ? std::numeric_limits<double>::quiet_NaN() : v[0];
  };
  const SearchSpace space({SearchParameter::real("a", 0, 1)});
  for (const SearchMethod method : {SearchMethod::cma_es, SearchMethod::random}) {
    const SearchResult found =
        search(partly, space, {.method = method, .evaluations = 300, .random = {2, 1}});
    CHECK(found.objective >= 0.3);
    CHECK(found.objective < 0.31);
  }
}

TEST_CASE("options of a search that are out of their range are refused") {
  const SearchSpace space = rate_and_tau();
  CHECK_THROWS_WITH_TEXT(Search(space, {.evaluations = 0}), ArgumentError,
                         "[search] evaluations must be >= 1, got 0");
  CHECK_THROWS_WITH_TEXT(Search(space, {.population = 2}), ArgumentError,
                         "[search] population must be 0 or >= 4, got 2");
  CHECK_THROWS_WITH_TEXT(Search(space, {.step = -1}), ArgumentError, "step must be > 0, got -1.0");
  CHECK_THROWS_WITH_TEXT(Search(space, {.mean_rate = 0}), ArgumentError,
                         "[search] mean_rate must be above 0 and up to 1, got 0.0");
  CHECK_THROWS_WITH_TEXT(Search(space, {.start = {2, 5}}), ArgumentError, "parameter 'rate'");
  Search one(space, {.random = {1, 1}});
  CHECK_THROWS_WITH_TEXT(one.tell(Values(2)), ArgumentError,
                         "expected the objectives of 6 candidates, got 2");
}
