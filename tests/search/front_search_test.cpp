// SPDX-License-Identifier: MIT
/// \file
/// Search for a front over named parameters.
#include "../../src/search/front_search.h"

#include <cmath>

#include "../../src/core/error.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

/// A rate that should be 0.01 and 0.1, and a size that should be small and near 12.
Objectives objectives_of(const std::vector<double>& v) {
  const double rate = std::log10(v[0]);
  return {std::pow(rate + 2, 2) + v[1] / 20, std::pow(rate + 1, 2) + std::abs(v[1] - 12) / 20};
}

SearchSpace space() {
  return SearchSpace(
      {SearchParameter::log("rate", 1e-4, 1), SearchParameter::integer("size", 1, 20)});
}

}  // namespace

TEST_CASE("a search for a front finds more of it than as many candidates at random") {
  const FrontSearchOptions options{
      .evaluations = 400, .population = 20, .reference = {2.0, 2.0}, .random = {1, 0}};
  const FrontSearchResult found = search_front(objectives_of, space(), options);
  CHECK(found.history.size() == 400);
  CHECK(found.why_stopped == "all evaluations are done");
  REQUIRE(found.hypervolumes.size() == 20);
  for (std::size_t i = 1; i < 20; ++i) CHECK(found.hypervolumes[i] >= found.hypervolumes[i - 1]);
  FrontSearchOptions at_random = options;
  at_random.method = SearchMethod::random;
  const FrontSearchResult luck = search_front(objectives_of, space(), at_random);
  CHECK(found.hypervolumes.back() > luck.hypervolumes.back());

  // The front is of all that was tried, and its volume that of its own.
  std::vector<Objectives> all;
  for (const FrontTrial& one : found.history) all.push_back(one.objectives);
  CHECK(found.front == non_dominated(all));
  CHECK_THAT(found.hypervolumes.back(),
             Catch::Matchers::WithinAbs(hypervolume(all, options.reference), 1e-12));
  for (const FrontTrial& one : found.history) {
    CHECK(one.values[1] == std::round(one.values[1]));
    CHECK(one.objectives == objectives_of(one.values));
  }
}

TEST_CASE("a search for a front goes on from its history with the same candidates") {
  for (const SearchMethod method : {SearchMethod::cma_es, SearchMethod::random}) {
    const FrontSearchOptions options{
        .method = method, .evaluations = 60, .population = 6, .random = {4, 2}};
    FrontSearch whole(space(), options);
    while (!whole.is_done()) {
      std::vector<Objectives> values;
      for (const auto& one : whole.ask()) values.push_back(objectives_of(one));
      whole.tell(values);
    }
    FrontSearch again(space(), options);
    for (std::size_t at = 0; !again.is_done(); at += 6) {
      std::vector<Objectives> values;
      for (std::size_t k = at; k < at + 6; ++k) {
        CHECK(again.ask()[k - at] == whole.result().history[k].values);
        values.push_back(whole.result().history[k].objectives);
      }
      again.tell(values);
    }
    CHECK(again.result().front == whole.result().front);
    CHECK(again.result().hypervolumes.empty());
  }
}

TEST_CASE("a search for a front says what is wrong with its options") {
  const auto refuses = [](const FrontSearchOptions& options, const char* text) {
    CHECK_THROWS_WITH_TEXT(FrontSearch(space(), options), ArgumentError, text);
  };
  refuses({.objectives = 1}, "at least 2 objectives, got 1");
  refuses({.evaluations = 0}, "evaluations must be >= 1, got 0");
  refuses({.population = 3}, "population must be 0 or >= 4, got 3");
  refuses({.step = 0.0}, "step must be > 0");
  refuses({.reference = {1.0}}, "a reference of 2 objectives, got 1");
  refuses({.reference = {1.0, std::nan("")}}, "the reference must be finite");
  FrontSearch turns(space(), {.evaluations = 4, .population = 4});
  CHECK_THROWS_WITH_TEXT(turns.tell({{0.0, 1.0}}), ArgumentError,
                         "the objectives of 4 candidates, got 1");
  CHECK_THROWS_WITH_TEXT(turns.tell({4, Objectives{1.0}}), ArgumentError,
                         "expected 2 objectives, got 1");
  turns.tell({4, Objectives{1.0, 1.0}});
  CHECK(turns.result().front.size() == 4);
  CHECK_THROWS_WITH_TEXT(turns.tell({4, Objectives{1.0, 1.0}}), ArgumentError,
                         "the search is done");
}
