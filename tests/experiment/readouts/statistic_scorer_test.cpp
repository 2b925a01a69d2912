// SPDX-License-Identifier: MIT
#include "../../../src/experiment/readouts/statistic_scorer.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../support/catch.h"

using namespace gaia;

namespace {

constexpr std::int64_t kTicks = 60;

double answer(std::int64_t t) { return std::sin(1.7 * static_cast<double>(t)) + 1e3; }
double code(std::int64_t t) { return static_cast<double>(t % 3); }

/// Ticks [0, kTicks) but those of the blocks in which they are 0 ... skipped - 1.
StatisticScorer fed(const StatisticOptions& options, std::int64_t end = kTicks) {
  StatisticScorer scorer(options, ChanceBlocks(kTicks));
  for (std::int64_t t = 0; t < end; ++t) {
    const double told[] = {answer(t), 2.0};
    const double target[] = {code(t)};
    scorer.add({.prediction = told, .target = target, .baseline = {}, .mean = {}});
  }
  return scorer;
}

}  // namespace

TEST_CASE(
    "a kurtosis has the moments of a plain loop, far from zero too, and of each block's rest") {
  const ReadoutScore score = fed({.measured = Statistic::kurtosis}).score();
  const auto kurtosis_without = [](std::int64_t begin, std::int64_t end) {
    double n = 0.0;
    double mean = 0.0;
    for (std::int64_t t = 0; t < kTicks; ++t) {
      if (t >= begin && t < end) continue;
      mean += answer(t);
      n += 1.0;
    }
    mean /= n;
    double second = 0.0;
    double fourth = 0.0;
    for (std::int64_t t = 0; t < kTicks; ++t) {
      if (t >= begin && t < end) continue;
      second += std::pow(answer(t) - mean, 2) / n;
      fourth += std::pow(answer(t) - mean, 4) / n;
    }
    return fourth / (second * second) - 3.0;
  };
  // One that never changes counts as 0.
  CHECK(score.statistic == Approx(kurtosis_without(0, 0) / 2.0).epsilon(1e-10));
  REQUIRE(score.of_each.size() == 2);
  CHECK(score.of_each[1] == 0.0);
  REQUIRE(score.without.size() == 20);
  for (std::size_t b = 0; b < 20; ++b) {
    const auto begin = static_cast<std::int64_t>(3 * b);
    CHECK(score.without[b] == Approx(kurtosis_without(begin, begin + 3) / 2.0).epsilon(1e-10));
  }
  CHECK(score.own().measure == std::string("kurtosis"));
  CHECK(score.own().error == Approx(1.0 / (3.0 + score.statistic)));
}

TEST_CASE("a selectivity is over classes, whose means below zero count as zero") {
  StatisticScorer scorer({.measured = Statistic::selectivity}, ChanceBlocks(4));
  const double told[][2] = {{4.0, 0.0}, {2.0, 0.0}, {-1.0, 0.0}, {1.0, 0.0}};
  const double classes[] = {0.0, 0.0, 1.0, 4.0};
  for (std::size_t t = 0; t < 4; ++t) {
    scorer.add({.prediction = told[t], .target = {&classes[t], 1}, .baseline = {}, .mean = {}});
  }
  const ReadoutScore score = scorer.score();
  CHECK(score.of_each[0] == Approx(1.0 - (3.0 + 0.0 + 1.0) / 3.0 / 3.0));
  CHECK(score.of_each[1] == 0.0);  // silent
  const double none[] = {0.5};
  CHECK_THROWS_AS(scorer.add({.prediction = told[0], .target = none, .baseline = {}, .mean = {}}),
                  DataError);
}

TEST_CASE("scores of too little are not defined, and say why") {
  const StatisticOptions picky{.measured = Statistic::selectivity};
  CHECK(StatisticScorer(picky, ChanceBlocks(4)).score().undefined == "no test ticks");
  CHECK(fed(picky, 1).score().undefined == "all test ticks are of one class");
  CHECK(fed({.measured = Statistic::sparseness}, 1).score().undefined == "one test tick");
  StatisticScorer broken({.measured = Statistic::quantisation}, ChanceBlocks(4));
  const double told[] = {std::nan("")};
  broken.add({.prediction = told, .target = {}, .baseline = {}, .mean = {}});
  CHECK(broken.score().undefined == "what it is of is not finite");
}

TEST_CASE("a scorer of a statistic goes on from its state") {
  for (const Statistic measured : {Statistic::kurtosis, Statistic::sparseness,
                                   Statistic::selectivity, Statistic::quantisation}) {
    const StatisticOptions options{.measured = measured};
    StatisticScorer whole = fed(options);
    StatisticScorer half = fed(options, 31);
    StatisticScorer rest(options, ChanceBlocks(kTicks));
    rest.set_state(half.state());
    for (std::int64_t t = 31; t < kTicks; ++t) {
      const double told[] = {answer(t), 2.0};
      const double target[] = {code(t)};
      rest.add({.prediction = told, .target = target, .baseline = {}, .mean = {}});
    }
    CHECK(rest.score().statistic == whole.score().statistic);
    CHECK(rest.state() == whole.state());
    CHECK_THROWS_AS(rest.set_state(std::vector<double>{3.0}), ShapeError);
  }
  const StatisticOptions weights{.measured = Statistic::weights, .expected = {1.0}};
  StatisticScorer scorer(weights, ChanceBlocks(kTicks));
  for (const double error : {0.7, 0.4}) {
    scorer.add({.prediction = {&error, 1}, .target = {}, .baseline = {}, .mean = {}});
  }
  CHECK(scorer.score().statistic == 0.4);  // the last one counts
  StatisticScorer other(weights, ChanceBlocks(kTicks));
  other.set_state(scorer.state());
  CHECK(other.score().statistic == 0.4);
}
