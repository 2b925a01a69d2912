// SPDX-License-Identifier: MIT
#include "../../../src/agents/discrete/agent.h"
#include "../../../src/agents/discrete/worlds.h"
#include "../../../src/core/error.h"
#include "../../support/catch.h"

using namespace gaia;
using namespace gaia::agents;

namespace {

/// An agent that carries along all that there is: a window, learning of all tables, drawn actions.
DiscreteAgent learner(std::int64_t window = 3) {
  const GenerativeModel model = two_armed_bandit({.random = {5, 1}}).model();
  Concentrations counts;
  for (ProbabilityTable table : model.tables().likelihoods) {
    for (double& value : table.values) value = 1.0 + value;
    counts.likelihoods.push_back(std::move(table));
  }
  for (ProbabilityTable table : model.tables().transitions) {
    for (double& value : table.values) value = 0.5 + value;
    counts.transitions.push_back(std::move(table));
  }
  for (std::vector<double> d : model.tables().initial) {
    for (double& value : d) value += 0.5;
    counts.initial.push_back(std::move(d));
  }
  return DiscreteAgent(model,
                       {.horizon = 2,
                        .planning = {.parameter_gain = ParameterGain::exact},
                        .window = window,
                        .learning = {.forgetting = 0.05},
                        .is_sampled = true,
                        .random = {5, 2}},
                       std::move(counts));
}

/// Actions and beliefs of some steps, trial after trial of five.
std::vector<double> played(DiscreteAgent& agent, DiscreteWorld& world, Observation& seen, int from,
                           int to) {
  std::vector<double> told;
  for (int t = from; t < to; ++t) {
    if (t % 5 == 0) {
      agent.reset();
      seen = world.reset();
    }
    const Action action = agent.step(seen);
    for (const std::int64_t a : action) told.push_back(static_cast<double>(a));
    for (const auto& belief : agent.beliefs())
      told.insert(told.end(), belief.begin(), belief.end());
    for (const double g : agent.last_plan().G) told.push_back(g);
    told.push_back(agent.free_energy());
    seen = world.step(action);
  }
  return told;
}

}  // namespace

TEST_CASE("a discrete agent and its world go on bit for bit from what they have saved") {
  for (const std::int64_t window : {1, 3}) {
    for (const int cut : {1, 5, 8, 13}) {
      DiscreteAgent agent = learner(window), again = learner(window);
      DiscreteWorld world = two_armed_bandit({.change = 0.2, .random = {5, 1}});
      DiscreteWorld other = two_armed_bandit({.change = 0.2, .random = {5, 1}});
      Observation seen, seen_again;
      played(agent, world, seen, 0, cut);
      again.restore(agent.save());
      other.restore(world.save());
      seen_again = seen;
      INFO("window " << window << ", cut after " << cut);
      const std::vector<double> first = played(agent, world, seen, cut, 20);
      CHECK(first == played(again, other, seen_again, cut, 20));
      CHECK(agent.concentrations().transitions[0].values ==
            again.concentrations().transitions[0].values);
    }
  }
}

TEST_CASE("what no such agent or world has saved is refused") {
  DiscreteAgent agent = learner();
  SavedState saved = agent.save();
  saved.erase("prior");
  CHECK_THROWS_WITH(agent.restore(saved), ContainsSubstring("expected 'prior'"));
  DiscreteAgent maze(t_maze({.random = {1, 1}}).model(), {.random = {1, 2}});
  CHECK_THROWS_WITH(agent.restore(maze.save()), ContainsSubstring("expected beliefs in the sizes"));
  CHECK_THROWS_WITH(agent.restore(agent.save(), {.terms = {}, .G = {1}, .posterior = {1}}),
                    ContainsSubstring("expected a plan of 9 policies, got 1"));
  DiscreteWorld world = t_maze({.random = {1, 1}});
  CHECK_THROWS_WITH(world.restore({{"draws", {1}}, {"state", {0}}}),
                    ContainsSubstring("a state for each of 2 factors, got 1"));
  CHECK_THROWS_WITH(world.restore({{"draws", {1}}, {"state", {0, 2}}}),
                    ContainsSubstring("expected a state below 2, got 2"));
  CHECK_THROWS_WITH(world.restore({{"draws", {1, 2}}, {"state", {}}}),
                    ContainsSubstring("draws: expected 1 numbers, got 2"));
}
