// SPDX-License-Identifier: MIT
#include "../../src/learning/naming_readout.h"

#include "../../src/core/error.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

/// Answers of three neurons to seven samples, and their classes, of three.
const std::vector<double> kAnswers = {
    9, 1, 0,  // 0
    8, 2, 0,  // 1
    7, 7, 0,  // 2, of which the first neuron is taken to be the winner
    1, 5, 0,  // 3
    1, 6, 0,  // 4
    8, 4, 0,  // 5
    0, 9, 0,  // 6
};
const std::vector<double> kClasses = {2, 1, 2, 1, 0, 1, 1};

NamingReadout solved(NamedBy by, std::size_t cut) {
  NamingReadout readout({.features = 3, .targets = 3}, {by});
  const std::span<const double> answers = kAnswers;
  const std::span<const double> classes = kClasses;
  readout.add(answers.first(3 * cut), classes.first(cut));
  readout.add(answers.subspan(3 * cut), classes.subspan(cut));
  CHECK_FALSE(readout.is_solved());
  readout.solve();
  return readout;
}

}  // namespace

TEST_CASE(
    "names by majority: ties of answers and of classes go to the lower, who wins nothing has "
    "none") {
  for (const std::size_t cut : {0u, 3u, 7u}) {
    NamingReadout readout = solved(NamedBy::majority, cut);
    const ReadoutSolution solution = readout.solution();
    // Neuron 0 won 0, 1, 2 and 5: classes 2, 1, 2, 1.  Neuron 1 won 3, 4, 6: 1, 0, 1.
    CHECK(solution.names == std::vector<std::int64_t>{1, 1, -1});
    CHECK(solution.weights ==
          std::vector<double>{0.0, 1.0 / 3, 0.0, 0.5, 2.0 / 3, 0.0, 0.5, 0.0, 0.0});
    CHECK(solution.target_means == std::vector<double>{1.0 / 7, 4.0 / 7, 2.0 / 7});
    CHECK(readout.predict(std::vector<double>{1, 2, 0, 0, 0, 1}) ==
          std::vector<double>{1.0 / 3, 2.0 / 3, 0.0, 0.0, 0.0, 0.0});
    CHECK(readout.asked().empty());
  }
}

TEST_CASE("names by asking: the largest answer, of equal ones the earlier, no label twice") {
  for (const std::size_t cut : {0u, 3u, 7u}) {
    NamingReadout readout = solved(NamedBy::ask, cut);
    // Neuron 2 answers all alike: samples 0 is taken, so 1.
    CHECK(readout.asked() == std::vector<std::int64_t>{0, 6, 1});
    CHECK(readout.solution().names == std::vector<std::int64_t>{2, 1, 1});
    CHECK(readout.predict(std::vector<double>{1, 2, 0}) == std::vector<double>{0.0, 1.0, 0.0});
    REQUIRE(readout.notices().size() == 1);
    CHECK(readout.notices()[0].starts_with("1 of 3 neurons answered with two values at most"));
  }
}

TEST_CASE("a neuron that finds every sample taken has no name") {
  NamingReadout readout({.features = 3, .targets = 2}, {NamedBy::ask});
  readout.add(std::vector<double>{1, 2, 3, 3, 2, 1}, std::vector<double>{0, 1});
  readout.solve();
  CHECK(readout.asked() == std::vector<std::int64_t>{1, 0, -1});
  CHECK(readout.solution().names == std::vector<std::int64_t>{1, 0, -1});
}

TEST_CASE("names go on from a state and from a solution") {
  for (const NamedBy by : {NamedBy::majority, NamedBy::ask}) {
    NamingReadout readout = solved(by, 2);
    NamingReadout other({.features = 3, .targets = 3}, {by});
    other.set_state(NamingReadout({.features = 3, .targets = 3}, {by}).state());
    CHECK_FALSE(other.is_solved());
    other.set_state(readout.state());
    CHECK(other.is_solved());
    CHECK(other.state() == readout.state());
    CHECK(other.asked() == readout.asked());
    CHECK(other.predict(kAnswers) == readout.predict(kAnswers));
    NamingReadout third({.features = 3, .targets = 3}, {by});
    third.set_solution(readout.solution());
    CHECK(third.predict(kAnswers) == readout.predict(kAnswers));
    CHECK_THROWS_AS(third.set_state(std::vector<double>{1.0, 2.0}), ShapeError);
  }
  NamingReadout empty({.features = 3, .targets = 3}, {});
  CHECK_THROWS_AS(empty.solve(), DataError);
}
