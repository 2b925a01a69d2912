// SPDX-License-Identifier: MIT
#include "../../src/learning/anomaly.h"

#include <cmath>

#include "../../src/core/error.h"
#include "../../src/learning/anomaly_readout.h"
#include "../reference/scikit_learn/anomaly.h"
#include "../support/catch.h"

using namespace gaia;
namespace reference = gaia::test::scikit_anomaly;

namespace {

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("distances of Mahalanobis equal SciPy's") {
  MahalanobisDistance distance(3, reference::ridge);
  distance.add(std::span(reference::rows).first(3 * 11));
  distance.add(std::span(reference::rows).subspan(3 * 11));
  distance.solve();
  const Numbers scores = distance.scores(reference::others);
  REQUIRE(scores.size() == reference::distances.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    CHECK(scores[i] == Approx(reference::distances[i]).epsilon(1e-10));
  }
}

TEST_CASE("a feature that was silent does not break the distance, and is far when it speaks") {
  MahalanobisDistance distance(3, 0.0);
  for (int i = 0; i < 40; ++i) {
    const double x = i % 5 - 2.0;
    distance.add(Numbers{x, 2 * x, 0.1});
  }
  distance.solve();
  const Numbers scores = distance.scores(Numbers{2, 4, 0.1, 0, 0, 0.1, 0, 0, 0.2});
  // There are 40 rows with a mean square of 2: a deviation of sqrt(80 / 39), along the one
  // direction.
  CHECK(scores[0] == Approx(2.0 / std::sqrt(80.0 / 39)).epsilon(1e-6));
  CHECK(scores[1] == Approx(0.0).margin(1e-6));
  CHECK(scores[2] > 1e5);
  MahalanobisDistance silent(2);
  silent.add(Numbers(6, 0.1));
  silent.solve();
  CHECK(silent.scores(Numbers{0.1, 0.1})[0] == 0.0);
}

TEST_CASE("a distance of Mahalanobis goes on from its state, solved or not") {
  const std::span<const double> rows(reference::rows);
  MahalanobisDistance first(3);
  first.add(rows.first(30));
  MahalanobisDistance second(3);
  second.set_state(first.state());
  CHECK_FALSE(second.is_solved());
  for (MahalanobisDistance* distance : {&first, &second}) {
    distance->add(rows.subspan(30));
    distance->solve();
  }
  CHECK(second.state() == first.state());
  MahalanobisDistance third(3);
  third.set_state(first.state());
  CHECK(third.is_solved());
  CHECK(third.scores(reference::others) == first.scores(reference::others));
}

TEST_CASE("what a distance of Mahalanobis does not take") {
  MahalanobisDistance distance(2);
  CHECK_THROWS_WITH_TEXT(distance.solve(), ArgumentError, "got none");
  CHECK_THROWS_WITH_TEXT(distance.scores(Numbers(2)), ArgumentError, "call solve first");
  CHECK_THROWS_AS(distance.add(Numbers(3)), ShapeError);
  distance.add(Numbers{1, 2, 2, 1});
  distance.solve();
  CHECK_THROWS_WITH_TEXT(distance.scores(Numbers(3)), ShapeError, "rows of 2 features, got 3");
  CHECK_THROWS_WITH_TEXT(distance.set_state(Numbers(2)), ShapeError,
                         "a state of 15 numbers, got 2");
  Numbers state = distance.state();
  state[8] = 7;
  CHECK_THROWS_WITH_TEXT(distance.set_state(state), ArgumentError, "expected 0 or 1");
  CHECK_THROWS_WITH_TEXT(MahalanobisDistance(2, -1.0), ArgumentError, "got -1.0");
  const std::vector<double> before = distance.state();
  CHECK_THROWS_WITH_TEXT(distance.add(Numbers{1, std::nan("")}), ArgumentError,
                         "feature 1 of row 0 is .nan");
  CHECK(distance.state() == before);
  distance.add(Numbers{1e200, 0, -1e200, 0});
  CHECK_THROWS_WITH_TEXT(distance.solve(), ArgumentError, "not finite");
}

TEST_CASE("the score of the running mean, by hand") {
  // Time constant 2, means before each row: 4, 4, 5, 6.5.
  RunningMeanScore score(1, 2);
  score.add(Numbers{4, 6, 8});
  // Squares 0, 4, 9: a scale of sqrt(13 / 3).
  const double scale = std::sqrt(13.0 / 3);
  const Numbers scores = score.scores(Numbers{2.5, 4.5, 10});
  CHECK(scores[0] == Approx(4.0 / scale));  // then the mean is 4.5
  CHECK(scores[1] == 0.0);
  CHECK(scores[2] == Approx(5.5 / scale));
  score.restart();
  CHECK(score.scores(Numbers{-100})[0] == 0.0);
  CHECK(score.scores(Numbers{-101})[0] == Approx(1.0 / scale));
}

TEST_CASE("channels of the running mean count alike, in whatever unit they are") {
  RunningMeanScore score(3, 4);
  for (int i = 0; i < 50; ++i) {
    const double x = i % 2;
    score.add(Numbers{x, 1000 * x, 7.0});
  }
  RunningMeanScore twin = score;
  const double first = score.scores(Numbers{5, 500, 7})[0];
  const double second = twin.scores(Numbers{0.5, 5000, 7})[0];
  CHECK(first == Approx(second).epsilon(1e-12));
  CHECK(first > 1.0);
  // The third never moved: it has the scale of the others together.
  RunningMeanScore constant(2, 4);
  constant.add(Numbers(20, 7.0));
  CHECK(constant.scores(Numbers{7, 9})[0] == 1.0);
}

TEST_CASE("the score of the running mean does not depend on how rows are cut") {
  RunningMeanScore whole(3, 5);
  whole.add(reference::rows);
  RunningMeanScore cut(3, 5);
  cut.add(std::span(reference::rows).first(12));
  RunningMeanScore other(3, 5);
  other.set_state(cut.state());
  other.add(std::span(reference::rows).subspan(12));
  CHECK(other.state() == whole.state());
  const Numbers scores = whole.scores(reference::others);
  Numbers parts = other.scores(std::span(reference::others).first(6));
  const Numbers rest = other.scores(std::span(reference::others).subspan(6));
  parts.insert(parts.end(), rest.begin(), rest.end());
  CHECK(parts == scores);
}

TEST_CASE("what the score of the running mean does not take") {
  CHECK_THROWS_WITH_TEXT(RunningMeanScore(0, 1), ArgumentError, "got 0 and 1");
  CHECK_THROWS_AS(RunningMeanScore(1, 0), ArgumentError);
  RunningMeanScore score(2);
  CHECK_THROWS_WITH_TEXT(score.add(Numbers(3)), ShapeError, "rows of 2 channels, got 3");
  CHECK_THROWS_AS(score.scores(Numbers(1)), ShapeError);
  CHECK_THROWS_WITH_TEXT(score.set_state(Numbers(5)), ShapeError, "a state of 6 numbers, got 5");
  Numbers state(6);
  state[1] = 0.5;
  CHECK_THROWS_WITH_TEXT(score.set_state(state), ArgumentError, "a count of rows");
  score.add(Numbers{1, 2, 3, 5});
  const Numbers before = score.state();
  CHECK_THROWS_WITH_TEXT(score.add(Numbers{1, 2, 3, std::nan("")}), ArgumentError,
                         "[RunningMeanScore] channel 1 of row 1 is .nan");
  CHECK_THROWS_AS(score.scores(Numbers{1, 2, std::nan(""), 3}), ArgumentError);
  CHECK(score.state() == before);
}

TEST_CASE("errors in deviations from their mean") {
  ErrorScale scale;
  scale.add(Numbers{1, 2});
  ErrorScale again;
  again.set_state(scale.state());
  again.add(Numbers{3, 6});
  CHECK(again.count() == 4);
  CHECK(again.mean() == 3.0);
  // (4 + 1 + 0 + 9) / 3
  CHECK(again.deviation() == Approx(std::sqrt(14.0 / 3)));
  CHECK(again.scores(Numbers{3, 10})[0] == 0.0);
  CHECK(again.scores(Numbers{3, 10})[1] == Approx(7.0 / std::sqrt(14.0 / 3)));
  ErrorScale constant;
  constant.add(Numbers(5, 0.1));
  CHECK(constant.scores(Numbers{0.1, 1.1})[0] == 0.0);
  CHECK(constant.scores(Numbers{0.1, 1.1})[1] == Approx(1.0));
}

TEST_CASE(
    "a state of an anomaly readout with part of a row is refused, and nothing reads beyond it") {
  AnomalyReadout readout({.features = 3, .targets = 1}, {.measure = AnomalyMeasure::mahalanobis});
  readout.add(Numbers{1, 2, 3, 4, 5, 7, 0, 1, 1}, {});
  Numbers state = readout.state();
  AnomalyReadout other({.features = 3, .targets = 1}, {.measure = AnomalyMeasure::mahalanobis});
  other.set_state(state);
  CHECK(other.state() == state);
  // Behind whether it is solved the rows stand with their length.
  REQUIRE(state[1] == 9.0);
  state[1] = 8.0;
  state.erase(state.begin() + 2);
  CHECK_THROWS_WITH_TEXT(other.set_state(state), ShapeError, "rows of 3 numbers, got 8 numbers");
  CHECK_THROWS_AS(other.solve(), DataError);
}
