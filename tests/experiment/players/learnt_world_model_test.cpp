// SPDX-License-Identifier: MIT
/// \file
/// What a results file has of a learnt world predicts, by plain loops, what the agent predicts.
#include "../../../src/experiment/players/learnt_world_model.h"

#include <cmath>
#include <map>

#include "../../../src/array/create.h"
#include "../../../src/experiment/run/agent_run.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using gaia::test::TempDir;

namespace {

constexpr std::int64_t kMembers = 2;
constexpr std::int64_t kObserved = 3;

/// An agent of two observations and a reward, which it does not read, that has trained.
agents::ContinuousAgent trained_agent() {
  agents::ContinuousAgent agent(
      kObserved, {-1.0}, {1.0},
      {.preference = {.target = {0, 0, 1}, .precision = {0, 0, 1}},
       .model = {.members = kMembers, .hidden = {6, 5}, .unread = {2}, .dtype = DType::float64},
       .horizon = 2,
       .search = {.population = 10, .elites = 2, .iterations = 1},
       .random_steps = 40,
       .random = {3, 1}});
  std::vector<double> seen = {0.3, -0.2, 0.0};
  for (int t = 0; t < 40; ++t) {
    const double action = agent.step(seen)[0];
    seen = {0.9 * seen[0] + 0.1 * seen[1], seen[1] + 0.2 * action, seen[0] * action};
  }
  agent.end_episode(seen);
  return agent;
}

double silu_of(double x) { return x / (1.0 + std::exp(-x)); }

}  // namespace

TEST_CASE("what is stored of a learnt world predicts what the agent predicts") {
  const agents::ContinuousAgent agent = trained_agent();
  AgentLayout layout{};
  layout.axes = {{"observed", kObserved, "", {"a", "b", "reward"}}};
  add_learnt_world_model(layout, agent, {"a", "b", "reward"}, {"push"});
  const AgentColumns columns = learnt_world_model(agent);
  REQUIRE(columns.size() == layout.learnt.size());
  std::map<std::string, std::int64_t> lengths;
  std::map<std::string, std::vector<std::string>> labels;
  for (const AgentAxis& axis : layout.axes) {
    lengths[axis.name] = axis.length;
    labels[axis.name] = axis.labels;
  }
  std::map<std::string, std::vector<double>> of;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const AgentVariable& variable = layout.learnt[i];
    std::int64_t size = 1;
    for (const std::string& axis : variable.axes) size *= lengths.at(axis);
    INFO(variable.name);
    CHECK(std::ssize(columns[i]) == size);
    of[variable.name] = columns[i];
  }
  CHECK(labels["read"] == std::vector<std::string>{"a", "b", "push"});
  CHECK(labels["output"][3] == "log variance of a");

  const std::vector<double> seen = {0.4, 0.1, 0.7};
  const double action = -0.6;
  const auto predicted = agent.model().predict(from_values(seen, {1, kObserved}),
                                               from_values(std::vector{action}, {1, 1}));
  const std::vector<double> means = predicted.mean.to_vector<double>();
  for (std::size_t e = 0; e < kMembers; ++e) {
    std::vector<double> h = {seen[0], seen[1], action};
    for (std::size_t i = 0; i < 3; ++i) h[i] = (h[i] - of["read_mean"][i]) / of["read_scale"][i];
    for (int layer = 0; layer < 3; ++layer) {
      const std::vector<double>& w = of["weights_" + std::to_string(layer)];
      const std::vector<double>& b = of["bias_" + std::to_string(layer)];
      const std::size_t units = b.size() / kMembers;
      std::vector<double> y(units);
      for (std::size_t u = 0; u < units; ++u) {
        y[u] = b[e * units + u];
        for (std::size_t i = 0; i < h.size(); ++i) y[u] += w[(e * units + u) * h.size() + i] * h[i];
        if (layer < 2) y[u] = silu_of(y[u]);
      }
      h = y;
    }
    for (std::size_t d = 0; d < kObserved; ++d) {
      // The value of the reward is predicted, but the change of the others.
      const double before = d < 2 ? seen[d] : 0.0;
      CHECK(means[e * kObserved + d] ==
            Approx(before + of["change_mean"][d] + of["change_scale"][d] * h[d]).epsilon(1e-9));
    }
  }
}

TEST_CASE("a results file has what a continuous agent has learnt, and none of one that does not") {
  const std::string text =
      "experiment: mass\n"
      "environment: {type: point_mass, episodes: 2, steps: 12}\n"
      "agent:\n"
      "  type: continuous\n"
      "  preference: {target: [0, 0], precision: [1, 1]}\n"
      "  model: {members: 2, hidden: [4]}\n"
      "  horizon: 2\n"
      "  search: {population: 8, elites: 2, iterations: 1}\n"
      "  random_steps: 12\n"
      "controls: none\n";
  const TempDir folder;
  Experiment experiment =
      load_experiment(folder.write("e.yaml", text), {.output = folder.path("r.h5")});
  run_agent(experiment);
  {
    const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
    const hdf5::Group agent = file.open_group("agent");
    const hdf5::Group learnt = agent.open_group("learnt");
    CHECK(learnt.open_dataset("weights_0").shape() == std::vector<std::int64_t>{2, 4, 3});
    CHECK(learnt.open_dataset("weights_1").shape() == std::vector<std::int64_t>{2, 4, 4});
    const std::vector<double> scale = learnt.open_dataset("read_scale").read<double>();
    CHECK(scale.size() == 3);
    for (const double one : scale) CHECK(one != 1.0);  // it has been trained
  }
  Experiment still = load_experiment(
      folder.path("e.yaml"), {.set = {"agent.is_learning=false"}, .output = folder.path("s.h5")});
  run_agent(still);
  CHECK_FALSE(hdf5::File::open(folder.path("s.h5")).open_group("agent").has_group("learnt"));
}
