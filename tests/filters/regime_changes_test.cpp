// SPDX-License-Identifier: MIT
#include "../../src/filters/regime_changes.h"

#include <vector>

#include "../../src/core/error.h"
#include "../support/catch.h"

namespace gaia::test {
namespace {

/// Rows of two models, of the first the probabilities given.
std::vector<double> of_two(const std::vector<double>& first) {
  std::vector<double> rows;
  for (const double p : first) rows.insert(rows.end(), {p, 1.0 - p});
  return rows;
}

using Changes = std::vector<RegimeChange>;

}  // namespace

TEST_CASE("A regime changes where another model is probable and stays so") {
  const auto rows = of_two({.9, .9, .9, .9, .2, .3, .1, .1, .8, .9, .9});
  CHECK(regime_changes(rows, 2) == Changes{{4, 0, 1}, {8, 1, 0}});
  CHECK(regime_changes(rows, 2, {}, 4) == Changes{{4, 0, 1}});
  CHECK(regime_changes(rows, 2, {}, 5) == Changes{});
}

TEST_CASE("What a single row looks like names no change of regime") {
  CHECK(regime_changes(of_two({.9, .9, .9, .1, .1, .9, .9, .1, .9, .9}), 2) == Changes{});
  CHECK(regime_changes(of_two({.9, .1, .9}), 2, {}, 1) == Changes{{1, 0, 1}, {2, 1, 0}});
}

TEST_CASE("Where no model has more than half the last regime stays") {
  // Ticks 3 to 5 belong to none: two of 0.45 each, and one of exactly a half.
  const std::vector<double> rows = {.8,  .1, .1,  .8,  .1, .1,  .8,  .1, .1, .45,
                                    .45, .1, .45, .45, .1, .25, .25, .5, .8, .1,
                                    .1,  .1, .1,  .8,  .1, .1,  .8,  .1, .1, .8};
  CHECK(regime_changes(rows, 3) == Changes{{7, 0, 2}});
  // A stretch that is broken off begins anew.
  CHECK(regime_changes(of_two({.9, .9, .9, .1, .1, .5, .1, .1, .1}), 2) == Changes{{6, 0, 1}});
}

TEST_CASE("No regime is carried over the border of two trials") {
  const auto rows = of_two({.9, .9, .9, .1, .1, .1, .9, .9, .9});
  CHECK(regime_changes(rows, 2) == Changes{{3, 0, 1}, {6, 1, 0}});
  CHECK(regime_changes(rows, 2, std::vector<std::int64_t>{0, 3}) == Changes{{6, 1, 0}});
  // A border inside of a stretch begins it anew.
  CHECK(regime_changes(rows, 2, std::vector<std::int64_t>{5}) == Changes{});
}

TEST_CASE("A tracker tells the regime tick by tick") {
  RegimeTracker tracker(2);
  const std::vector<double> first = {.9, .1};
  const std::vector<double> second = {.1, .9};
  CHECK(tracker.regime() == -1);
  for (int i = 0; i < 2; ++i) CHECK_FALSE(tracker.take(first));
  CHECK(tracker.regime() == -1);
  CHECK_FALSE(tracker.take(first));
  CHECK(tracker.regime() == 0);
  for (int i = 0; i < 2; ++i) CHECK_FALSE(tracker.take(second));
  CHECK(tracker.regime() == 0);
  const auto change = tracker.take(second);
  REQUIRE(change);
  CHECK(*change == RegimeChange{3, 0, 1});
  CHECK(tracker.regime() == 1);
  CHECK_FALSE(tracker.take(second));
}

TEST_CASE("Rows that are no probabilities of the models are refused") {
  CHECK_THROWS_WITH_TEXT(regime_changes(std::vector<double>{.5, .5, 1.}, 2), ShapeError,
                         "expected rows of 2 probabilities, got 3 numbers");
  CHECK_THROWS_AS(regime_changes({}, 0), ArgumentError);
  CHECK_THROWS_AS(regime_changes({}, 2, {}, 0), ArgumentError);
  RegimeTracker tracker(3);
  CHECK_THROWS_AS(tracker.take(std::vector<double>{.5, .5}), ShapeError);
}

}  // namespace gaia::test
