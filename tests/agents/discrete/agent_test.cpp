// SPDX-License-Identifier: MIT
#include "../../../src/agents/discrete/agent.h"

#include <algorithm>
#include <cmath>

#include "../../../src/agents/discrete/worlds.h"
#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "random_models.h"

using namespace gaia;
using namespace gaia::agents;
using gaia::test::random_tables;

namespace {

struct MazeResult {
  int cue_first = 0;  ///< Trials whose first action is to the cue.
  int right = 0;  ///< Trials in whose two steps the arm with the reward was entered, and no other.
};

MazeResult trials_in_maze(const TMazeOptions& maze, DiscreteAgentOptions options) {
  DiscreteWorld world = t_maze(maze);
  DiscreteAgent agent(world.model(), std::move(options));
  MazeResult result;
  for (int trial = 0; trial < 100; ++trial) {
    agent.reset();
    Observation o = world.reset();
    for (int t = 0; t < 2; ++t) {
      const Action action = agent.step(o);
      result.cue_first += t == 0 && action[0] == 3;
      o = world.step(action);
    }
    result.right += world.state()[0] == world.state()[1] + 1;
  }
  return result;
}

/// Actions of an agent in a bandit.
std::vector<Action> actions_in_bandit(RandomStream stream, bool by_whole_policy) {
  DiscreteWorld world = two_armed_bandit({.random = {4, 4}});
  DiscreteAgent agent(world.model(), {.horizon = 2,
                                      .planning = {.precision = 1},
                                      .by_whole_policy = by_whole_policy,
                                      .is_sampled = true,
                                      .action_precision = 1,
                                      .random = stream});
  std::vector<Action> actions;
  Observation o = world.reset();
  for (int t = 0; t < 60; ++t) o = world.step(actions.emplace_back(agent.step(o)));
  return actions;
}

}  // namespace

TEST_CASE("An agent in a T-maze reads the cue first, and without epistemic value it does not") {
  const TMazeOptions maze{.random = {1, 1}};
  const MazeResult curious = trials_in_maze(maze, {.horizon = 2, .random = {1, 2}});
  CHECK(curious.cue_first == 100);
  CHECK(curious.right >= 95);

  DiscreteAgentOptions plain{.horizon = 2, .planning = {.use_epistemic = false}, .random = {1, 2}};
  const MazeResult cautious = trials_in_maze(maze, plain);
  CHECK(cautious.cue_first == 0);
  CHECK(cautious.right == 0);  // everything seems equally good, and it stays where it is
  // If a loss costs little it goes into an arm at once, and that is right in half of the trials.
  const MazeResult bold = trials_in_maze({.loss = 0, .random = {1, 1}}, plain);
  CHECK(bold.cue_first == 0);
  CHECK(bold.right > 30);
  CHECK(bold.right < 70);
  // With everything left to chance by a precision of 0, being right is rare.
  const MazeResult random = trials_in_maze(
      maze, {.horizon = 2, .planning = {.precision = 0}, .is_sampled = true, .random = {1, 2}});
  CHECK(random.right < 60);
}

TEST_CASE("An agent that searches a tree reads the cue first too") {
  const MazeResult found =
      trials_in_maze({.random = {1, 1}}, {.tree = TreeOptions{.depth = 2}, .random = {1, 2}});
  CHECK(found.cue_first == 100);
  CHECK(found.right >= 95);
}

TEST_CASE("An agent in a bandit wins more than one that acts at random") {
  const auto wins = [](double precision, bool is_sampled) {
    DiscreteWorld world = two_armed_bandit({.change = 0.02, .random = {2, 1}});
    DiscreteAgent agent(world.model(), {.horizon = 1,
                                        .planning = {.precision = precision},
                                        .is_sampled = is_sampled,
                                        .random = {2, 2}});
    int won = 0;
    Observation o = world.reset();
    for (int t = 0; t < 1000; ++t) {
      o = world.step(agent.step(o));
      won += o[0] == 1;
    }
    return won;
  };
  CHECK(wins(16, false) > 650);
  CHECK(wins(0, true) < 450);
}

TEST_CASE("An agent walks through a grid to its goal by the shortest way") {
  DiscreteWorld open = grid_world({.random = {3, 1}});
  DiscreteAgent agent(open.model(), {.horizon = 2, .random = {3, 2}});
  Observation o = open.reset();
  for (int t = 0; t < 6; ++t) o = open.step(agent.step(o));
  CHECK(o[0] == 15);
  CHECK(open.step(agent.step(o))[0] == 15);

  // S # .    the way around is 8 steps
  // . # .
  // . . .    and the goal is at the top right
  DiscreteWorld walled =
      grid_world({.rows = 3, .columns = 3, .walls = {1, 4}, .goal = 2, .random = {3, 1}});
  DiscreteAgent other(walled.model(), {.horizon = 2, .random = {3, 2}});
  o = walled.reset();
  for (int t = 0; t < 6; ++t) o = walled.step(other.step(o));
  CHECK(o[0] == 2);

  // It also arrives where moves fail and cells are seen badly.
  DiscreteWorld foggy = grid_world({.slip = 0.2, .accuracy = 0.7, .random = {3, 1}});
  DiscreteAgent third(foggy.model(), {.horizon = 2, .window = 4, .random = {3, 2}});
  o = foggy.reset();
  int at_goal = 0;
  for (int t = 0; t < 60; ++t) {
    o = foggy.step(third.step(o));
    at_goal += t >= 30 && foggy.state()[0] == 15;
  }
  CHECK(at_goal >= 25);
}

TEST_CASE("Same seed, same actions, and another seed, others") {
  for (const bool by_whole_policy : {false, true}) {
    const std::vector<Action> one = actions_in_bandit({7, 1}, by_whole_policy);
    CHECK(one == actions_in_bandit({7, 1}, by_whole_policy));
    CHECK(one != actions_in_bandit({7, 2}, by_whole_policy));
  }
}

TEST_CASE("Actions are drawn as often as their posterior says") {
  ModelTables tables = random_tables({2, 2}, {3, 2}, {2}, 6);
  tables.habits = {0.3, 0.1, 0.2, 0.1, 0.1, 0.2};
  const GenerativeModel model(tables);
  for (const bool by_whole_policy : {false, true}) {
    DiscreteAgent agent(model, {.planning = {.precision = 0},
                                .by_whole_policy = by_whole_policy,
                                .is_sampled = true,
                                .action_precision = 1,
                                .random = {9, 9}});
    std::vector<double> counts(6, 0.0);
    for (int t = 0; t < 10000; ++t) {
      agent.infer({0});
      agent.plan();
      const Action action = agent.act();
      counts[static_cast<std::size_t>(2 * action[0] + action[1])] += 1e-4;
    }
    const std::vector<std::vector<double>> marginals = agent.action_posterior();
    CHECK(marginals[0][0] == Approx(0.4));
    CHECK(marginals[1][1] == Approx(0.4));
    for (std::size_t k = 0; k < 6; ++k) {
      const double expected =
          by_whole_policy ? tables.habits[k] : marginals[0][k / 2] * marginals[1][k % 2];
      CHECK(counts[k] == Approx(expected).margin(0.02));
    }
  }
}

TEST_CASE("Actions are drawn from the posterior to the power of the action precision") {
  ModelTables tables = random_tables({2}, {2}, {2}, 6);
  tables.habits = {0.25, 0.75};
  DiscreteAgent agent(
      GenerativeModel(tables),
      {.planning = {.precision = 0}, .is_sampled = true, .action_precision = 2, .random = {9, 9}});
  double first = 0;
  for (int t = 0; t < 10000; ++t) first += agent.step({0})[0] == 0;
  CHECK(first / 10000 == Approx(0.1).margin(0.012));
}

TEST_CASE("With one factor a window ends with the beliefs of step after step") {
  const GenerativeModel model(random_tables({4}, {2}, {3}, 21));
  DiscreteAgent step_by_step(model, {.random = {1, 1}}),
      window(model, {.window = 3, .random = {1, 1}});
  for (std::int64_t t = 0; t < 12; ++t) {
    const Observation o = {t * t % 3};
    const Beliefs& a = step_by_step.infer(o);
    const Beliefs& b = window.infer(o);
    for (std::size_t s = 0; s < 4; ++s) CHECK(b[0][s] == Approx(a[0][s]).epsilon(1e-10));
    CHECK(static_cast<std::int64_t>(window.window_beliefs().size()) ==
          std::min<std::int64_t>(t + 1, 3));
    for (DiscreteAgent* one : {&step_by_step, &window}) one->take({t % 2});
  }
}

TEST_CASE("Beliefs follow from the action that was taken, whoever chose it") {
  const GenerativeModel model(random_tables({4}, {2}, {3}, 21));
  DiscreteAgent agent(model, {.random = {1, 1}});
  agent.step({0});
  const Beliefs before = agent.beliefs();
  agent.take({1});
  agent.infer({2});
  const Inference expected = infer_states(model, {2}, predicted(model, before, {1}));
  CHECK(agent.beliefs() == expected.beliefs);
  CHECK(agent.free_energy() == expected.free_energy);
  CHECK(agent.iterations() == 1);
}

TEST_CASE("An agent that learns where trials begin no longer needs the cue") {
  DiscreteWorld maze = t_maze({.random = {5, 1}});
  ModelTables always_left = maze.model().tables();
  always_left.initial[1] = {1, 0};
  DiscreteWorld world(GenerativeModel(always_left), {5, 1});
  DiscreteAgent agent(maze.model(), {.horizon = 2, .window = 3, .random = {5, 2}},
                      {.initial = {{1, 0, 0, 0}, {0.5, 0.5}}});
  int first_cue = 0, last_cue = 0, wins = 0;
  for (int trial = 0; trial < 40; ++trial) {
    Observation o = world.reset();
    for (int t = 0; t < 2; ++t) {
      const Action action = agent.step(o);
      first_cue += trial == 0 && t == 0 && action[0] == 3;
      last_cue += trial >= 37 && t == 0 && action[0] == 3;
      o = world.step(action);
    }
    agent.infer(o);
    wins += o[1] == 1;
    agent.take({0, 0});
    agent.reset();
  }
  CHECK(first_cue == 1);
  CHECK(last_cue == 0);
  CHECK(wins >= 36);
  CHECK(agent.concentrations().initial[1][0] == Approx(40.5).margin(1.5));
  CHECK(agent.model().tables().initial[1][0] > 0.95);
}

TEST_CASE("Information gain about parameters sends an agent where it knows little") {
  // Two actions lead to two rooms; what can be seen in room 1 is hardly known.
  ModelTables tables;
  tables.likelihoods = {{{2, 2}, {0.5, 0.5, 0.5, 0.5}}};
  tables.transitions = {{{2, 2, 2}, {1, 0, 1, 0, 0, 1, 0, 1}}};
  tables.initial = {{1, 0}};
  const Concentrations counts{.likelihoods = {{{2, 2}, {50, 0.5, 50, 0.5}}}};
  for (const ParameterGain gain :
       {ParameterGain::none, ParameterGain::exact, ParameterGain::inverse_counts}) {
    DiscreteAgent agent(GenerativeModel(tables),
                        {.planning = {.parameter_gain = gain}, .random = {1, 1}}, counts);
    CHECK(agent.step({0})[0] == (gain == ParameterGain::none ? 0 : 1));
    const bool has_novelty = agent.last_plan().terms[1].novelty > 0;
    CHECK(has_novelty == (gain != ParameterGain::none));
  }
}

TEST_CASE("Given policies are the only ones, and the first of equal ones is taken") {
  const GenerativeModel model = grid_world({.random = {1, 1}}).model();
  DiscreteAgent agent(model, {.policies = {{{2}, {2}}, {{1}, {1}}}, .random = {1, 1}});
  CHECK(agent.policies().size() == 2);
  CHECK(agent.step({0}) == Action{1});  // right or down are equal; action 1 comes before 2
  CHECK(agent.last_plan().G.size() == 2);
  CHECK(agent.last_plan().G[0] == Approx(agent.last_plan().G[1]));
}

TEST_CASE("An agent says what is missing") {
  const GenerativeModel model(random_tables({2}, {2}, {3}, 1));
  const auto refuses = [&](const DiscreteAgentOptions& options, const std::string& text) {
    CHECK_THROWS_WITH_TEXT(DiscreteAgent(model, options), ArgumentError, text);
  };
  refuses({.horizon = 0}, "horizon");
  refuses({.policies = {{}}}, "one step or more");
  refuses({.policies = {{{2}}}}, "action");
  refuses({.planning = {.precision = NAN}}, "precision");
  refuses({.window = 0}, "window");
  refuses({.learning = {.likelihood_rate = -1}}, "learning rate");
  refuses({.learning = {.forgetting = 1.5}}, "forgetting");
  refuses({.tree = TreeOptions{.depth = 0}}, "depth");
  refuses({.tree = TreeOptions{.action_threshold = 1.0}}, "action_threshold");
  refuses({.tree = TreeOptions{.outcome_threshold = -0.1}}, "outcome_threshold");
  refuses({.action_precision = -1}, "action_precision");
  DiscreteAgent agent(model);
  CHECK_THROWS_WITH_TEXT(agent.act(), ArgumentError, "call plan()");
  CHECK_THROWS_WITH_TEXT(agent.learn(), ArgumentError, "call infer()");
  CHECK_THROWS_WITH_TEXT(agent.take({0}), ArgumentError, "call infer()");
  CHECK_THROWS_WITH_TEXT(agent.infer({3}), ArgumentError, "observation");
  agent.infer({2});
  CHECK_THROWS_WITH_TEXT(agent.act(), ArgumentError, "call plan()");
  CHECK_THROWS_WITH_TEXT(agent.infer({2}), ArgumentError, "an action since");
  CHECK_THROWS_WITH_TEXT(agent.take({2}), ArgumentError, "action");
  agent.reset();
  CHECK_NOTHROW(agent.step({2}));
  agent.infer({0});  // the plan of the step before does not count
  CHECK_THROWS_WITH_TEXT(agent.act(), ArgumentError, "call plan()");
}
