// SPDX-License-Identifier: MIT
#include "../../src/learning/detection_readout.h"

#include <cmath>
#include <limits>

#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// [rows, 2], of which the second changes at row 300, and the first has gaps.
std::vector<double> two_series() {
  std::vector<double> rows(2 * 600);
  RandomStream{5, 2}.normals(0, rows);
  for (std::size_t row = 0; row < 600; ++row) {
    if (row % 7 == 3) rows[2 * row] = kMissing;
    if (row >= 300) rows[2 * row + 1] += 3.0;
  }
  return rows;
}

DetectionOptions by_adwin() {
  DetectionOptions options;
  options.watched = WatchedSeries::input;
  options.adwin.clock = 4;
  return options;
}

}  // namespace

TEST_CASE("each number of a row has a detector of its own", "[change]") {
  const std::vector<double> rows = two_series();
  DetectionReadout readout({.features = 2}, by_adwin());
  Adwin first({.clock = 4});
  Adwin second({.clock = 4});
  int changes = 0;
  for (std::size_t row = 0; row < 600; ++row) {
    const std::vector<double> told = readout.predict(std::span(rows).subspan(2 * row, 2));
    REQUIRE(told.size() == 6);
    const bool is_there = !std::isnan(rows[2 * row]);
    CHECK(told[0] == (is_there && first.update(rows[2 * row]) ? 1.0 : 0.0));
    CHECK(told[1] == (second.update(rows[2 * row + 1]) ? 1.0 : 0.0));
    CHECK(told[2] == first.statistic());
    CHECK(told[3] == second.statistic());
    CHECK(told[4] == first.estimation());
    CHECK(told[5] == second.estimation());
    CHECK(told[0] == 0.0);
    changes += told[1] != 0.0 ? 1 : 0;
  }
  CHECK(changes >= 1);
  // All rows at once say the same.
  DetectionReadout at_once({.features = 2}, by_adwin());
  at_once.predict(rows);
  CHECK(at_once.state() == readout.state());
  CHECK(readout.is_online());
  CHECK_THROWS_AS(readout.predict(std::vector<double>{1.0}), ShapeError);
}

TEST_CASE("the mean of a row is watched without what is missing", "[change]") {
  const std::vector<double> rows = two_series();
  DetectionOptions options = by_adwin();
  options.as_mean = true;
  options.method = ChangeMethod::page_hinkley;
  options.page_hinkley.threshold = 15.0;
  DetectionReadout readout({.features = 2}, options);
  PageHinkley detector(options.page_hinkley);
  for (std::size_t row = 0; row < 600; ++row) {
    const double a = rows[2 * row];
    const double b = rows[2 * row + 1];
    const std::vector<double> told = readout.predict(std::span(rows).subspan(2 * row, 2));
    REQUIRE(told.size() == 3);
    CHECK(told[0] == (detector.update(std::isnan(a) ? b : (a + b) / 2.0) ? 1.0 : 0.0));
    CHECK(told[1] == detector.statistic());
  }
  const std::vector<double> before = readout.state();
  CHECK(readout.predict(std::vector<double>{kMissing, kMissing})[0] == 0.0);
  CHECK(readout.state() == before);
}

TEST_CASE("a readout of changes goes on from its state", "[change]") {
  const std::vector<double> rows = two_series();
  DetectionReadout whole({.features = 2}, by_adwin());
  DetectionReadout first({.features = 2}, by_adwin());
  DetectionReadout second({.features = 2}, by_adwin());
  const auto part = std::span(rows);
  whole.predict(rows);
  first.predict(part.first(2 * 251));
  second.set_state(first.state());
  second.predict(part.subspan(2 * 251));
  CHECK(second.state() == whole.state());
  CHECK_THROWS_AS(second.set_state({}), ShapeError);
  std::vector<double> longer = whole.state();
  longer.push_back(0.0);
  CHECK_THROWS_AS(second.set_state(longer), ShapeError);
  CHECK_THROWS_AS(second.set_solution({}), ArgumentError);
}

TEST_CASE("what a prediction misses its target by is one number", "[change]") {
  using Numbers = std::vector<double>;
  CHECK(error_of_prediction(ReadoutTask::regression, Numbers{1.0, -2.0}, Numbers{0.5, 1.0}) ==
        1.75);
  CHECK(std::isnan(error_of_prediction(ReadoutTask::regression, Numbers{1.0}, Numbers{kMissing})));
  CHECK(error_of_prediction(ReadoutTask::classes, Numbers{0.2, 0.8}, Numbers{1.0}) == 0.0);
  CHECK(error_of_prediction(ReadoutTask::classes, Numbers{0.2, 0.8}, Numbers{0.0}) == 1.0);
  CHECK(error_of_prediction(ReadoutTask::classes, Numbers{0.0, 0.0}, Numbers{0.0}) == 1.0);
  CHECK(std::isnan(error_of_prediction(ReadoutTask::classes, Numbers{0.2, 0.8}, Numbers{-1.0})));
  CHECK(error_of_prediction(ReadoutTask::anomaly, Numbers{2.5, 7.0}, Numbers{1.0}) == 2.5);
}
