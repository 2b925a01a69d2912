// SPDX-License-Identifier: MIT
#include "../../../src/experiment/players/bandit_player.h"

#include <cmath>

#include "../../../src/agents/bandits/ucb1.h"
#include "../../../src/experiment/players/discrete_player.h"
#include "../../../src/experiment/setup/load.h"
#include "../../support/catch.h"

using namespace gaia;

namespace {

ExperimentConfig arms(const std::string& environment) {
  return load_experiment_text("experiment: arms\nseed: 4\nenvironment: {" + environment +
                                  ", episodes: 4, steps: 100}\n"
                                  "agent: {type: discrete}\ncontrols: [ucb1, thompson]\n",
                              "e.yaml", {})
      .config;
}

/// Returns of four episodes of 100 steps.
std::vector<double> played(AgentPlayer& player, int from = 0, int to = 400) {
  std::vector<double> returns;
  for (int t = from; t < to; ++t) {
    if (t % 100 == 0) {
      player.begin_episode();
      returns.push_back(0.0);
    }
    if (returns.empty()) returns.push_back(0.0);
    returns.back() += player.step().reward;
    if (t % 100 == 99) player.end_episode();
  }
  return returns;
}

}  // namespace

TEST_CASE("UCB1 beside an agent plays the world's own arms, and goes on learning over episodes") {
  const ExperimentConfig config =
      arms("type: bernoulli_bandit, probabilities: [0.2, 0.8, 0.5], win: 3, loss: -1");
  const auto player = make_bandit_player(config, "ucb1");
  const std::vector<double> returns = played(*player);
  // The same by the bandit and the world alone: 3 is worth 1, -1 is worth 0, nothing 1/4.
  agents::DiscreteWorld world = make_discrete_world(config);
  agents::UCB1 bandit(3);
  for (std::size_t episode = 0; episode < 4; ++episode) {
    world.reset();
    double sum = 0.0;
    for (int t = 0; t < 100; ++t) {
      const std::int64_t arm = bandit.choose();
      const bool wins = world.step({arm})[0] == 1;
      bandit.learn(arm, wins ? 1.0 : 0.0);
      sum += wins ? 3.0 : -1.0;
    }
    CHECK(returns[episode] == sum);
  }
  CHECK(returns[3] > 100.0);
}

TEST_CASE("arms are all combinations of actions, also where a world has states and a cue") {
  for (const char* control : {"ucb1", "thompson"}) {
    CHECK(is_bandit_control(control));
    const ExperimentConfig config = arms("type: two_armed_bandit, better: 1, worse: 0");
    const auto player = make_bandit_player(config, control);
    // Two nats at the better arm, which changes from episode to episode, so it is not always found.
    for (const double one : played(*player)) CHECK(std::abs(one) <= 200.0);
  }
  CHECK_FALSE(is_bandit_control("random"));
}

TEST_CASE("a bandit beside an agent goes on bit for bit from what it has saved") {
  for (const char* control : {"ucb1", "thompson"}) {
    const ExperimentConfig config = arms("type: bernoulli_bandit");
    const auto whole = make_bandit_player(config, control);
    const auto first = make_bandit_player(config, control);
    const auto second = make_bandit_player(config, control);
    played(*whole, 0, 130);
    played(*first, 0, 130);
    second->restore(first->save());
    CHECK(played(*second, 130) == played(*whole, 130));
  }
}

TEST_CASE("where arms make no sense there is no bandit, and it is told") {
  const Experiment mass = load_experiment_text(
      "experiment: mass\nseed: 2\nenvironment: {type: point_mass, episodes: 1, steps: 2}\n"
      "agent: {type: continuous, preference: {target: [0, 0], precision: [10, 0]}}\n"
      "controls: [random, ucb1]\n",
      "e.yaml", {});
  REQUIRE(mass.warnings.size() == 1);
  CHECK(mass.warnings[0] ==
        "controls: left out is ucb1: actions are real numbers, of which none comes twice");
  CHECK(agent_controls(*mass.config.agent()).run == std::vector<std::string>{"random"});
  CHECK(why_no_bandit(*arms("type: t_maze").agent()) == "");
  CHECK(agent_control_title("thompson") == "Thompson sampling");
}
