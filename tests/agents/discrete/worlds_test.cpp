// SPDX-License-Identifier: MIT
#include "../../../src/agents/discrete/worlds.h"

#include <array>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "random_models.h"

using namespace gaia;
using namespace gaia::agents;

TEST_CASE("A world draws states and outcomes as often as its tables say") {
  const GenerativeModel model(test::random_tables({2, 3}, {2, 1}, {3}, 8));
  DiscreteWorld world(model, {8, 1});
  constexpr int kTrials = 20000;
  std::array<double, 2> first{};
  std::array<double, 3> outcomes{}, expected{};
  std::array<std::array<double, 3>, 3> moves{};
  for (int trial = 0; trial < kTrials; ++trial) {
    ++outcomes[static_cast<std::size_t>(world.reset()[0])];
    const std::vector<std::int64_t> before = world.state();
    ++first[static_cast<std::size_t>(before[0])];
    world.step({1, 0});
    ++moves[static_cast<std::size_t>(before[1])][static_cast<std::size_t>(world.state()[1])];
  }
  const auto& d = model.tables().initial;
  CHECK(first[0] / kTrials == Approx(d[0][0]).margin(0.015));
  test::for_each_joint({2, 3}, [&](const auto& s) {
    for (std::int64_t o = 0; o < 3; ++o) {
      expected[static_cast<std::size_t>(o)] += d[0][static_cast<std::size_t>(s[0])] *
                                               d[1][static_cast<std::size_t>(s[1])] *
                                               test::likelihood(model, {o}, s);
    }
  });
  for (std::size_t o = 0; o < 3; ++o) {
    CHECK(outcomes[o] / kTrials == Approx(expected[o]).margin(0.015));
  }
  for (std::size_t s = 0; s < 3; ++s) {
    const double all = moves[s][0] + moves[s][1] + moves[s][2];
    for (std::size_t next = 0; next < 3; ++next) {
      const double p = test::transition(model, 1, static_cast<std::int64_t>(next),
                                        static_cast<std::int64_t>(s), 0);
      CHECK(moves[s][next] / all == Approx(p).margin(0.03));
    }
  }
}

TEST_CASE("Same stream, same world") {
  DiscreteWorld a = two_armed_bandit({.change = 0.2, .random = {3, 4}});
  DiscreteWorld b = two_armed_bandit({.change = 0.2, .random = {3, 4}});
  DiscreteWorld c = two_armed_bandit({.change = 0.2, .random = {3, 5}});
  bool differs = a.reset() != b.reset();
  CHECK(!differs);
  c.reset();
  for (int t = 0; t < 100; ++t) {
    const Observation here = a.step({1, 0});
    CHECK(here == b.step({1, 0}));
    differs |= here != c.step({1, 0});
  }
  CHECK(differs);
}

TEST_CASE("The T-maze has a cue that tells where the reward is, and arms that are final") {
  DiscreteWorld maze = t_maze({.win_probability = 0.9, .random = {2, 2}});
  int wins = 0, right = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    CHECK(maze.reset() == Observation{0, 0, 0});
    const std::int64_t side = maze.state()[1];
    right += static_cast<int>(side);
    CHECK(maze.step({3, 0}) == Observation{3, 0, 1 + side});
    wins += maze.step({1 + side, 0})[1] == 1;
    CHECK(maze.step({0, 0})[0] == 1 + side);
  }
  CHECK(right == Approx(1000).margin(100));
  CHECK(wins == Approx(1800).margin(60));
  DiscreteWorld open = t_maze({.arms_are_final = false, .random = {2, 2}});
  open.reset();
  open.step({1, 0});
  CHECK(open.step({0, 0})[0] == 0);
}

TEST_CASE("A bandit pays as it should, and its arms change places") {
  DiscreteWorld bandit = two_armed_bandit({.better = 0.7, .worse = 0.1, .random = {2, 3}});
  bandit.reset();
  const std::int64_t better = bandit.state()[1];
  double wins = 0, other_wins = 0;
  for (int t = 0; t < 4000; ++t) {
    wins += bandit.step({1 + better, 0})[0] == 1;
    other_wins += bandit.step({2 - better, 0})[0] == 1;
    CHECK(bandit.state()[1] == better);
  }
  CHECK(wins / 4000 == Approx(0.7).margin(0.03));
  CHECK(other_wins / 4000 == Approx(0.1).margin(0.03));
  CHECK(bandit.step({0, 0}) == Observation{0, 0});
  DiscreteWorld restless = two_armed_bandit({.change = 0.25, .random = {2, 4}});
  restless.reset();
  double changes = 0;
  for (int t = 0; t < 4000; ++t) {
    const std::int64_t before = restless.state()[1];
    restless.step({0, 0});
    changes += restless.state()[1] != before;
  }
  CHECK(changes / 4000 == Approx(0.25).margin(0.03));
}

TEST_CASE("A grid has edges, walls, slips and preferences that fall with the way") {
  // . # .
  // . . .
  DiscreteWorld grid = grid_world(
      {.rows = 2, .columns = 3, .walls = {1}, .goal = 2, .preference = 8, .random = {1, 1}});
  CHECK(grid.reset() == Observation{0});
  CHECK(grid.step({0})[0] == 0);  // up, where the grid ends
  CHECK(grid.step({1})[0] == 0);  // right, into the wall
  CHECK(grid.step({2})[0] == 3);
  CHECK(grid.step({1})[0] == 4);
  CHECK(grid.step({0})[0] == 4);  // up, into the wall
  CHECK(grid.step({1})[0] == 5);
  CHECK(grid.step({0})[0] == 2);
  CHECK(grid.step({4})[0] == 2);
  CHECK(grid.step({2})[0] == 5);
  CHECK(grid.step({3})[0] == 4);
  CHECK(grid.model().tables().preferences[0] == std::vector<double>{0, 0, 8, 2, 4, 6});
  const DiscreteWorld plain = grid_world({.rows = 1, .columns = 3, .is_graded = false});
  CHECK(plain.model().tables().preferences[0] == std::vector<double>{0, 0, 4});
  const DiscreteWorld slippery = grid_world({.slip = 0.25, .accuracy = 0.5});
  CHECK(test::transition(slippery.model(), 0, 1, 0, 1) == 0.75);
  CHECK(test::transition(slippery.model(), 0, 0, 0, 1) == 0.25);
  CHECK(test::transition(slippery.model(), 0, 0, 0, 0) == 1);
  CHECK(slippery.model().tables().likelihoods[0].values[0] == 0.5);
  CHECK(slippery.model().tables().likelihoods[0].values[16] == 0.25);  // 1 is seen in 0
}

TEST_CASE("Worlds refuse what they cannot be") {
  CHECK_THROWS_WITH_TEXT(t_maze({.win_probability = 1.5}), ArgumentError, "win_probability");
  CHECK_THROWS_WITH_TEXT(two_armed_bandit({.change = -1}), ArgumentError, "change");
  CHECK_THROWS_WITH_TEXT(grid_world({.rows = 0}), ArgumentError, "rows");
  CHECK_THROWS_WITH_TEXT(grid_world({.rows = 33, .columns = 32}), ArgumentError, "1024 cells");
  CHECK_THROWS_WITH_TEXT(grid_world({.walls = {16}}), ArgumentError, "walls");
  CHECK_THROWS_WITH_TEXT(grid_world({.walls = {15}}), ArgumentError, "goal");
  CHECK_THROWS_WITH_TEXT(grid_world({.start = 99}), ArgumentError, "start");
  DiscreteWorld maze = t_maze();
  CHECK_THROWS_WITH_TEXT(maze.step({0, 0}), ArgumentError, "reset()");
  maze.reset();
  CHECK_THROWS_WITH_TEXT(maze.step({4, 0}), ArgumentError, "below [4, 1]");
}

TEST_CASE("arms of a Bernoulli bandit win as often as they should, whatever was played before") {
  DiscreteWorld world = bernoulli_bandit({.probabilities = {0.9, 0.2, 0.5}, .random = {3, 1}});
  CHECK(world.model().actions() == std::vector<std::int64_t>{3});
  CHECK(world.model().outcomes() == std::vector<std::int64_t>{3});
  CHECK(world.reset() == Observation{0});
  std::vector<double> wins(3), plays(3);
  for (int t = 0; t < 30000; ++t) {
    const std::int64_t arm = t * 7 % 11 % 3;
    const Observation pay = world.step({arm});
    CHECK(world.state() == std::vector<std::int64_t>{arm + 1});
    REQUIRE((pay[0] == 1 || pay[0] == 2));
    wins[static_cast<std::size_t>(arm)] += pay[0] == 1;
    plays[static_cast<std::size_t>(arm)] += 1;
  }
  CHECK(std::abs(wins[0] / plays[0] - 0.9) < 0.02);
  CHECK(std::abs(wins[1] / plays[1] - 0.2) < 0.02);
  CHECK(std::abs(wins[2] / plays[2] - 0.5) < 0.02);
  CHECK(BernoulliBanditOptions{.probabilities = {0.5, 0.5}, .random = {}}.names().actions[0] ==
        std::vector<std::string>{"arm 0", "arm 1"});
  CHECK_THROWS_AS(bernoulli_bandit({.probabilities = {}, .random = {}}), ArgumentError);
  CHECK_THROWS_AS(bernoulli_bandit({.probabilities = {1.5}, .random = {}}), ArgumentError);
}
