// SPDX-License-Identifier: MIT
#include <cmath>
#include <numeric>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/agent_run.h"
#include "../../../src/experiment/run/agent_summary.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/datasets.h"
#include "../../support/log_capture.h"
#include "../../support/temp_dir.h"
#include "../agents.h"

using namespace gaia;
using namespace gaia::test;
using Catch::Matchers::WithinAbs;

namespace {

AgentSummary run(const TempDir& folder, const std::string& text,
                 const std::vector<std::string>& set = {}) {
  Experiment experiment =
      load_experiment(folder.write("e.yaml", text), {.set = set, .output = folder.path("r.h5")});
  return run_agent(experiment, {.overwrite = true});
}

const std::vector<double>& of(const Datasets& all, const std::string& path) {
  const auto found = all.find(path);
  REQUIRE(found != all.end());
  return found->second;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

FOLDER_TEST_CASE("an agent in a T-maze leaves what it saw, believed, planned and did") {
  const AgentSummary summary = run(folder, kMaze);
  CHECK(summary.status == RunStatus::complete);
  CHECK(summary.steps_done == 240);
  const Datasets all = datasets_of(folder.path("r.h5"));
  const auto& place = of(all, "/agent/state_place");
  const auto& side = of(all, "/agent/state_side");
  const auto& cue = of(all, "/agent/observation_cue");
  const auto& belief = of(all, "/agent/belief_side");
  const auto& action = of(all, "/agent/action_place");
  const auto& reward = of(all, "/agent/reward");
  REQUIRE(place.size() == 80);
  for (std::size_t t = 0; t < 80; ++t) {
    CHECK(of(all, "/agent/step")[t] == static_cast<double>(t));
    CHECK(of(all, "/agent/episode")[t] == static_cast<double>(t / 2));
    CHECK(of(all, "/agent/step_in_episode")[t] == static_cast<double>(t % 2));
    // It begins at the centre, knowing nothing, and goes to the cue, which tells the truth.
    if (t % 2 == 0) {
      CHECK(place[t] == 0.0);
      CHECK(cue[t] == 0.0);
      CHECK_THAT(belief[2 * t], WithinAbs(0.5, 1e-12));
      CHECK(action[t] == 3.0);
      CHECK(reward[t] == 0.0);
    } else {
      CHECK(place[t] == 3.0);
      CHECK(cue[t] == side[t] + 1.0);
      CHECK(belief[2 * t + static_cast<std::size_t>(side[t])] > 0.999);
      CHECK(action[t] == side[t] + 1.0);
      CHECK(std::abs(reward[t]) == 3.0);
    }
  }
  const auto& returns = of(all, "/agent/episodes/return");
  const auto& last_reward = of(all, "/agent/episodes/last_observation_reward");
  for (std::size_t e = 0; e < 40; ++e) {
    CHECK(returns[e] == reward[2 * e] + reward[2 * e + 1]);
    CHECK(returns[e] == (last_reward[e] == 1.0 ? 3.0 : -3.0));
    CHECK(of(all, "/agent/episodes/steps_done")[e] == 2.0 * static_cast<double>(e) + 2.0);
    CHECK(of(all, "/agent/episodes/last_state_place")[e] == side[2 * e] + 1.0);
  }
  CHECK(of(all, "/status/committed_steps") == std::vector<double>{240.0});
  CHECK_THAT(summary.verdict.agent.mean, WithinAbs(mean(returns), 1e-12));
  CHECK(mean(returns) > 2.0);
  // Without epistemic value it stays where it is; at random it is as often wrong as right.
  CHECK(mean(of(all, "/agent/controls/no_epistemic/return")) == 0.0);
  CHECK(std::abs(mean(of(all, "/agent/controls/random/return"))) < 2.0);
  CHECK_SAYS(summary.verdict.text, "is better than that of random actions");
}

FOLDER_TEST_CASE("the parts of expected free energy that are recorded fit together") {
  run(folder, kMaze);
  const Datasets all = datasets_of(folder.path("r.h5"));
  const auto part = [&](const char* name) { return of(all, std::string("/agent/plans/") + name); };
  const auto G = part("G"), risk = part("risk"), ambiguity = part("ambiguity");
  const auto pragmatic = part("pragmatic"), epistemic = part("epistemic"), q = part("posterior");
  REQUIRE(G.size() == 80 * 16);
  for (std::size_t t = 0; t < 80; ++t) {
    double sum = 0, normal = 0;
    double least = G[16 * t];
    for (std::size_t p = 0; p < 16; ++p) least = std::min(least, G[16 * t + p]);
    for (std::size_t p = 0; p < 16; ++p) normal += std::exp(-16.0 * (G[16 * t + p] - least));
    for (std::size_t p = 0; p < 16; ++p) {
      const std::size_t i = 16 * t + p;
      CHECK_THAT(G[i], WithinAbs(risk[i] + ambiguity[i], 1e-9));
      CHECK_THAT(G[i], WithinAbs(-pragmatic[i] - epistemic[i], 1e-9));
      CHECK_THAT(q[i], WithinAbs(std::exp(-16.0 * (G[i] - least)) / normal, 1e-12));
      sum += q[i];
    }
    CHECK_THAT(sum, WithinAbs(1.0, 1e-12));
  }
  // Policies count as two digits of base 4: to where first, and to where then.
  const auto& actions = of(all, "/agent/plans/policy_action");
  for (std::size_t p = 0; p < 16; ++p) {
    CHECK(actions[4 * p] == static_cast<double>(p / 4));
    CHECK(actions[4 * p + 2] == static_cast<double>(p % 4));
    CHECK(actions[4 * p + 1] == 0.0);
  }
}

FOLDER_TEST_CASE(
    "what an agent learns is what it has seen, counted, with the last of each episode") {
  // Cells are seen without error, so that beliefs are certain and counts are whole.
  run(folder, kGrid, {"agent.window=1", "agent.learn.initial=none"});
  const Datasets all = datasets_of(folder.path("r.h5"));
  const auto& cell = of(all, "/agent/state_cell");
  const auto& action = of(all, "/agent/action_cell");
  const auto& last = of(all, "/agent/episodes/last_state_cell");
  REQUIRE(cell.size() == 42);
  std::vector<double> counts(6 * 6 * 5, 0.5);
  for (std::size_t t = 0; t < 42; ++t) {
    const double next = t % 7 == 6 ? last[t / 7] : cell[t + 1];
    counts[static_cast<std::size_t>((next * 6 + cell[t]) * 5 + action[t])] += 1.0;
  }
  const auto& learnt = of(all, "/agent/learnt/transition_cell");
  REQUIRE(learnt.size() == counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) CHECK_THAT(learnt[i], WithinAbs(counts[i], 1e-6));
}

TEST_CASE("the same seed has the same datasets, another one others") {
  const TempDir one, other, third;
  run(one, kGrid);
  run(other, kGrid);
  run(third, kGrid, {"seed=6"});
  const Datasets first = datasets_of(one.path("r.h5"));
  gaia::test::check_same_datasets(first, datasets_of(other.path("r.h5")));
  CHECK(gaia::test::difference(first, datasets_of(third.path("r.h5"))) != "");
}

TEST_CASE("the environment of a control has the same random numbers") {
  const TempDir folder;
  // Whoever stays at the centre meets the sides that the agent meets: they are drawn at the
  // beginning, and staying draws as much as going.
  run(folder, kMaze, {"environment.win_probability=1"});
  const Datasets all = datasets_of(folder.path("r.h5"));
  const TempDir again;
  run(again, kMaze,
      {"environment.win_probability=1", "agent.planning.use_epistemic=false", "controls=[random]"});
  const Datasets alone = datasets_of(again.path("r.h5"));
  CHECK(of(all, "/agent/controls/no_epistemic/return") == of(alone, "/agent/episodes/return"));
  CHECK(of(all, "/agent/controls/random/return") == of(alone, "/agent/controls/random/return"));
}

TEST_CASE("learning off is the agent with what learning begins with") {
  const TempDir folder, frozen;
  run(folder, kGrid);
  // With counts that nothing is added to, the tables stay, and novelty is what differs: leave it.
  run(frozen, kGrid,
      {"agent.learn.transitions.rate=0", "agent.learn.initial.rate=0",
       "agent.planning.parameter_gain=none"});
  const TempDir plain;
  run(plain, kGrid, {"agent.planning.parameter_gain=none"});
  CHECK(of(datasets_of(plain.path("r.h5")), "/agent/controls/frozen/return") ==
        of(datasets_of(frozen.path("r.h5")), "/agent/episodes/return"));
}

TEST_CASE("what is recorded can be thinned out") {
  const TempDir folder, whole;
  run(whole, kMaze);
  run(folder, kMaze, {"output.steps={every: 3}", "output.plans={every: 10}"});
  const Datasets all = datasets_of(whole.path("r.h5"));
  const Datasets thin = datasets_of(folder.path("r.h5"));
  REQUIRE(of(thin, "/agent/step").size() == 27);
  for (std::size_t i = 0; i < 27; ++i) {
    CHECK(of(thin, "/agent/step")[i] == 3.0 * static_cast<double>(i));
    CHECK(of(thin, "/agent/reward")[i] == of(all, "/agent/reward")[3 * i]);
  }
  CHECK(of(thin, "/agent/plans/step").size() == 8);
  CHECK(of(thin, "/agent/plans/G")[16] == of(all, "/agent/plans/G")[160]);
  run(folder, kMaze, {"output.steps=none", "output.plans=none"});
  const Datasets bare = datasets_of(folder.path("r.h5"));
  CHECK(of(bare, "/agent/reward").empty());
  CHECK_FALSE(bare.contains("/agent/plans/G"));
  CHECK(of(bare, "/agent/episodes/return") == of(all, "/agent/episodes/return"));
}

FOLDER_TEST_CASE("an agent in a world of real numbers leaves what it saw and did") {
  const AgentSummary summary = run(folder, kMass);
  CHECK(summary.steps_done == 108);
  const Datasets all = datasets_of(folder.path("r.h5"));
  const auto& seen = of(all, "/agent/observation");
  const auto& action = of(all, "/agent/action");
  const auto& last = of(all, "/agent/episodes/last_observation");
  const auto& reward = of(all, "/agent/reward");
  REQUIRE(seen.size() == 72);
  for (std::size_t t = 0; t < 36; ++t) {
    const double x = seen[2 * t], v = seen[2 * t + 1], u = action[t];
    const double next_v = v + (u - 0.1 * v) * 0.1;
    const double next_x = x + next_v * 0.1;
    const std::size_t e = t / 12;
    const bool is_last = t % 12 == 11;
    CHECK_THAT(is_last ? last[2 * e] : seen[2 * t + 2], WithinAbs(next_x, 1e-12));
    CHECK_THAT(is_last ? last[2 * e + 1] : seen[2 * t + 3], WithinAbs(next_v, 1e-12));
    CHECK_THAT(reward[t], WithinAbs(-(next_x * next_x + 0.1 * u * u), 1e-12));
  }
  CHECK(std::isnan(of(all, "/agent/plans/G")[0]));  // drawn, not planned
  const auto& G = of(all, "/agent/plans/G");
  for (std::size_t t = 10; t < 36; ++t) {
    CHECK_THAT(
        G[t],
        WithinAbs(of(all, "/agent/plans/risk")[t] + of(all, "/agent/plans/ambiguity")[t], 1e-4));
  }
  CHECK(of(all, "/agent/episodes/training_steps") == std::vector<double>{24, 24, 24});
}

TEST_CASE("what an agent will need is told before it runs") {
  const Experiment experiment = load_experiment_text(kMaze, "f.yaml");
  const AgentEstimate estimate = estimate_agent(experiment, false);
  CHECK(estimate.steps == 240);
  CHECK(estimate.policies == 16);
  CHECK(estimate.seconds == 0.0);
  // A step has 4 numbers of its own, 5 outcomes and states, 6 beliefs, an action and the free
  // energy; a plan 7 numbers for each of 16 policies; episodes 5 outcomes and states.
  const double expected =
      60e3 + 8.0 * (80 * (4 + 3 + 2 + 6 + 1 + 1) + 80 * (1 + 7 * 16) + 40 * (4 + 5 + 8));
  CHECK_THAT(estimate.disk_bytes, WithinAbs(expected, 1.0));
  CHECK_SAYS(estimate_text(experiment, estimate), "controls random, no_epistemic");
}

FOLDER_TEST_CASE(
    "a run counts observations that its agent's model holds to be impossible, and says so") {
  const test::LogCapture log;
  const std::string bandit =
      "experiment: bandit\n"
      "environment: {type: two_armed_bandit, better: 0.7, worse: 0.3, change: 0, episodes: 3, "
      "steps: 20}\n"
      "agent:\n"
      "  type: discrete\n"
      "  horizon: 1\n";
  const AgentSummary right = run(folder, bandit);
  CHECK(right.impossible == 0);
  CHECK_THAT(right.text(), !ContainsSubstring("impossible"));
  CHECK(log.count(LogLevel::warning, "agent: ") == 0);
  // Its own model has arms that always win or never do, which cannot be after a win and a loss.
  const AgentSummary wrong =
      run(folder, bandit + "  model: {type: two_armed_bandit, better: 1, worse: 0, change: 0}\n");
  CHECK(wrong.impossible > 1);
  CHECK(log.count(LogLevel::warning, "agent: step ") == 1);
  CHECK(log.count(LogLevel::warning, "in every state that was expected of this step") == 1);
  CHECK(log.count(LogLevel::warning, "a probability of 0 counts as 1e-16") == 1);
  CHECK_SAYS(wrong.text(), "warning  " + std::to_string(wrong.impossible) +
                               " observations of the agent were impossible by its model");
  CHECK(hdf5::File::open(folder.path("r.h5"))
            .open_group("agent")
            .integer_attribute("impossible_observations") == wrong.impossible);
}
