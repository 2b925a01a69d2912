// SPDX-License-Identifier: MIT
/// \file
/// A run whose policy acts: what the results file has of it is recomputed by plain loops.
#include "../../../src/experiment/players/learnt_policy.h"

#include <cmath>

#include "../../../src/experiment/run/agent_run.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"

using namespace gaia;

namespace {

constexpr std::int64_t kEpisodes = 4, kSteps = 12;

const char* const kTaught =
    "experiment: mass\ndtype: float64\n"
    "environment: {type: point_mass, episodes: 4, steps: 12}\n"
    "agent:\n"
    "  type: continuous\n"
    "  preference: {target: [0, 0], precision: [10, 0]}\n"
    "  model: {members: 2, hidden: [8], batch: 8}\n"
    "  horizon: 3\n"
    "  search: {population: 12, elites: 3, iterations: 2}\n"
    "  random_steps: 10\n"
    "  policy: {act: policy, teaching_episodes: 2, hidden: [6, 5], batch: 8}\n"
    "controls: [random, planning]\n";

std::vector<double> numbers(const hdf5::File& file, const std::string& path) {
  return file.open_dataset(path).read<double>();
}

}  // namespace

FOLDER_TEST_CASE("the actions of a policy follow from what the results file has learnt") {
  Experiment experiment = test::load_text(folder, kTaught);
  const AgentSummary summary = run_agent(experiment);
  CHECK_SAYS(summary.text(), "planning throughout");
  CHECK_SAYS(summary.text(), "us for a step, planning");
  CHECK_SAYS(summary.verdict.text, "which the policy learns from");
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const std::vector<double> by = numbers(file, "agent/chosen_by");
  const std::vector<double> action = numbers(file, "agent/action");
  const std::vector<double> seen = numbers(file, "agent/observation");
  const std::vector<double> G = numbers(file, "agent/plans/G");
  const std::vector<double> mean = numbers(file, "agent/learnt/policy_read_mean");
  const std::vector<double> scale = numbers(file, "agent/learnt/policy_read_scale");
  REQUIRE(by.size() == kEpisodes * kSteps);
  for (std::size_t t = 0; t < by.size(); ++t) {
    CHECK(by[t] == (t < 10 ? 0 : t < 24 ? 1 : 2));
    CHECK(std::isnan(G[t]) == (by[t] != 1));
    if (by[t] != 2) continue;
    std::vector<double> h;
    for (std::size_t d = 0; d < 2; ++d) h.push_back((seen[2 * t + d] - mean[d]) / scale[d]);
    for (const std::string layer : {"0", "1", "2"}) {
      const std::vector<double> w = numbers(file, "agent/learnt/policy_weights_" + layer);
      std::vector<double> y = numbers(file, "agent/learnt/policy_bias_" + layer);
      for (std::size_t u = 0; u < y.size(); ++u) {
        for (std::size_t i = 0; i < h.size(); ++i) y[u] += w[u * h.size() + i] * h[i];
        if (layer != "2") y[u] /= 1.0 + std::exp(-y[u]);
      }
      h = y;
    }
    CHECK(action[t] == Approx(std::tanh(h[0])).epsilon(1e-10).margin(1e-10));
  }
  CHECK(numbers(file, "agent/episodes/policy_steps") == std::vector<double>{0, 0, 12, 12});
  const hdf5::Group agent = file.open_group("agent");
  CHECK(agent.number_attribute("policy_steps") == 24.0);
  CHECK(agent.number_attribute("planned_steps") == 14.0);
  CHECK(agent.number_attribute("seconds_per_policy_step").value_or(0) > 0);
}

FOLDER_TEST_CASE("planning throughout is the agent without a policy") {
  Experiment acting = test::load_text(folder, kTaught, {}, "a.h5");
  run_agent(acting);
  Experiment alone = load_experiment(folder.path("e.yaml"),
                                     {.set = {"agent.policy=none"}, .output = folder.path("b.h5")});
  run_agent(alone);
  const hdf5::File with = hdf5::File::open(folder.path("a.h5"));
  const hdf5::File without = hdf5::File::open(folder.path("b.h5"));
  CHECK(numbers(with, "agent/controls/planning/return") ==
        numbers(without, "agent/episodes/return"));
  CHECK_FALSE(without.has_dataset("agent/chosen_by"));
  CHECK_FALSE(without.open_group("agent").open_group("controls").has_group("planning"));
  CHECK_FALSE(without.open_group("agent").number_attribute("policy_steps"));
}

FOLDER_TEST_CASE("a player whose policy acts goes on as if it had not been cut") {
  const Experiment whole = test::load_text(folder, kTaught, {}, "whole.h5");
  // Between two steps of the policy, by the states of its players.
  const std::unique_ptr<AgentPlayer> one = make_player(whole.config);
  for (int episode = 0; episode < 3; ++episode) {
    one->begin_episode();
    for (std::int64_t t = 0; t < kSteps; ++t) {
      if (episode == 2 && t == 5) {
        const std::unique_ptr<AgentPlayer> other = make_player(whole.config);
        other->restore(one->save());
        CHECK(other->times() == one->times());
        AgentColumns expected_step(3), found(3);
        for (int k = 0; k < 4; ++k) {
          one->step();
          other->step();
          one->add_step(expected_step);
          other->add_step(found);
        }
        CHECK(found == expected_step);
        one->end_episode();
        other->end_episode();
        AgentColumns of_one(8), of_other(8);
        one->add_episode(of_one);
        other->add_episode(of_other);
        CHECK(of_other[5] == std::vector<double>{9});
        CHECK(of_other[5] == of_one[5]);
        // 10 of 24 steps were chance, and 9 of the third episode are of the policy.
        const Attributes times = other->times();
        CHECK(times[0] == Attributes::value_type("planned_steps", std::int64_t{14}));
        CHECK(times[1] == Attributes::value_type("policy_steps", std::int64_t{9}));
        return;
      }
      one->step();
    }
    one->end_episode();
  }
}
