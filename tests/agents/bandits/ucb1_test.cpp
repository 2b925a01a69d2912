// SPDX-License-Identifier: MIT
#include "../../../src/agents/bandits/ucb1.h"

#include <cmath>
#include <limits>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "regret.h"

using namespace gaia;
using agents::UCB1;

TEST_CASE("UCB1 plays as its rule says, written as a plain loop") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform;
  constexpr int arms = 5;
  UCB1 bandit(arms);
  std::vector<std::vector<double>> seen(arms);
  for (int t = 0; t < 2000; ++t) {
    int expected = -1;
    double highest = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < arms; ++i) {
      const std::vector<double>& rewards = seen[static_cast<std::size_t>(i)];
      double bound = std::numeric_limits<double>::infinity();
      if (!rewards.empty()) {
        double sum = 0;
        for (const double one : rewards) sum += one;
        const auto n = static_cast<double>(rewards.size());
        bound = sum / n + std::sqrt(2 * std::log(static_cast<double>(t)) / n);
      }
      if (bound > highest) {
        highest = bound;
        expected = i;
      }
    }
    REQUIRE(bandit.choose() == expected);
    const double reward = std::pow(uniform(random), 1 + expected);  // the later, the less
    bandit.learn(expected, reward);
    seen[static_cast<std::size_t>(expected)].push_back(reward);
  }
  for (int i = 0; i < arms; ++i) {
    CHECK(bandit.plays()[static_cast<std::size_t>(i)] ==
          static_cast<double>(seen[static_cast<std::size_t>(i)].size()));
  }
  CHECK(bandit.plays()[0] > 5 * bandit.plays()[4]);
}

TEST_CASE("the regret of UCB1 is within its bound, and far below that of playing at random") {
  for (const test::Arms& arms : {test::Arms{.9, .6, .5, .4}, test::Arms{.55, .5, .5, .5, .45}}) {
    for (const int plays : {100, 1000, 10000}) {
      double sum = 0, of_random = 0;
      constexpr int runs = 50;
      for (unsigned run = 0; run < runs; ++run) {
        UCB1 bandit(std::ssize(arms));
        sum += test::regret_of(bandit, arms, plays, run);
      }
      for (const double p : arms) {
        of_random += plays * (*std::max_element(arms.begin(), arms.end()) - p) /
                     static_cast<double>(arms.size());
      }
      CHECK(sum / runs <= test::ucb1_bound(arms, plays));
      if (plays == 10000) CHECK(sum / runs < 0.65 * of_random);
      if (plays == 10000 && arms.size() == 4) CHECK(sum / runs == Approx(116).epsilon(0.1));
    }
  }
}

TEST_CASE("UCB1 goes on bit for bit from what it has saved, and refuses what is not its own") {
  UCB1 bandit(3);
  for (int t = 0; t < 20; ++t) bandit.learn(bandit.choose(), t % 3 == 0 ? 0.25 : 1.0);
  UCB1 other(3);
  other.restore(bandit.save());
  for (int t = 0; t < 50; ++t) {
    const std::int64_t arm = bandit.choose();
    REQUIRE(other.choose() == arm);
    bandit.learn(arm, arm == 1 ? 0.75 : 0.5);
    other.learn(arm, arm == 1 ? 0.75 : 0.5);
  }
  CHECK(other.save() == bandit.save());
  CHECK_THROWS_AS(UCB1(4).restore(bandit.save()), ArgumentError);
  CHECK_THROWS_AS(UCB1(2).restore({{"plays", {1, 2}}, {"rewards", {1.5, 0}}}), ArgumentError);
  CHECK_THROWS_AS(UCB1(2).restore({{"plays", {1, 0.5}}, {"rewards", {1, 0}}}), ArgumentError);
  CHECK_THROWS_AS(UCB1(0), ArgumentError);
  CHECK_THROWS_WITH(bandit.learn(3, 1),
                    Catch::Matchers::ContainsSubstring("[UCB1] arm: expected 0 to 2, got 3"));
  for (const double wrong : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_WITH(bandit.learn(0, wrong),
                      Catch::Matchers::ContainsSubstring("scale rewards to that range"));
  }
}
