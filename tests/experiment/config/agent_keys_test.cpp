// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "../../../src/core/error.h"
#include "../../../src/experiment/config/config_reader.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/setup/load.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../../support/temp_dir.h"
#include "../agents.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Experiment load(const std::string& text, const std::vector<std::string>& set = {}) {
  return load_experiment_text(text, "f.yaml", {.set = set});
}

/// What is wrong with an experiment.
std::string refused(const std::string& text, const std::vector<std::string>& set = {}) {
  return complaint_of<ConfigError>([&] { load(text, set); });
}

}  // namespace

TEST_CASE("an agent and its environment are read, with every default, and written as they were") {
  const Experiment experiment = load(kMaze);
  REQUIRE(experiment.config.agent());
  const AgentConfig& agent = *experiment.config.agent();
  CHECK(agent.environment.kind->name() == "t_maze");
  CHECK(agent.environment.episodes == 40);
  CHECK(experiment.steps == 80);
  CHECK(experiment.config.dtype == DType::float64);
  const auto& discrete = std::get<DiscreteAgentConfig>(agent.kind);
  CHECK(discrete.horizon == 2);
  CHECK(discrete.planning.precision == 16.0);
  CHECK_FALSE(agent.learns());
  for (const std::string& text : {kMaze, kGrid, kMass}) {
    const std::string yaml = to_yaml(load(text).config);
    CHECK(to_yaml(load(yaml).config) == yaml);
  }
  const std::string grid = to_yaml(load(kGrid).config);
  CHECK_SAYS(grid, "transitions:\n      prior: uniform\n      count: 0.5");
  CHECK_THAT(grid, !ContainsSubstring("dtype"));
  CHECK_SAYS(to_yaml(load(kMass).config), "dtype: float32");
}

TEST_CASE("tables of a world are read as nested lists and written as such") {
  const std::string text =
      "experiment: lamp\n"
      "environment:\n"
      "  type: tables\n"
      "  factors: [{name: lamp, transitions: [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]}]\n"
      "  modalities: [{name: light, likelihood: [[0.9, 0.2], [0.1, 0.8]], preferences: [0, 1]}]\n"
      "  episodes: 2\n"
      "  steps: 3\n"
      "agent: {type: discrete, policies: [[0, 1], [1, 1]]}\n";
  const Experiment experiment = load(text);
  const std::string yaml = to_yaml(experiment.config);
  CHECK_SAYS(yaml, "likelihood: [[0.9, 0.2], [0.1, 0.8]]", "policies: [[0.0, 1.0], [1.0, 1.0]]");
  CHECK(to_yaml(load(yaml).config) == yaml);
  CHECK_SAYS(refused(replaced(text, "[0.1, 0.8]]", "[0.1]]")),
             "f.yaml:5:", "likelihood: expected a list of 2, got a list of 1");
  CHECK_SAYS(refused(replaced(text, "[[0.9, 0.2], [0.1, 0.8]]", "[0.9, 0.1]")),
             "expected lists in lists, 2 to 16 deep, got 1");
  CHECK_SAYS(refused(replaced(text, "[0.1, 0.8]]", "[0.1, 0.9]]")), "environment");
  CHECK_SAYS(refused(replaced(text, "0.9, 0.2", "1.9, 0.2")), "got '1.9'");
  CHECK_SAYS(refused(replaced(text, "[[0, 1], [1, 1]]", "[[0, 2]]")), "agent.policies",
             "expected actions from 0 below 2");
}

TEST_CASE("what is wrong with an agent is told with its place and the way out") {
  CHECK_SAYS(refused(replaced(kMaze, "horizon", "horizont")),
             "f.yaml:4:", "did you mean 'horizon'?");
  CHECK_SAYS(refused(replaced(kMaze, "t_maze", "tmaze")), "did you mean 't_maze'?");
  CHECK_SAYS(refused(replaced(kMaze, "steps: 2", "step: 2")), "environment.steps: missing");
  CHECK_SAYS(refused(kMaze + "data: {source: generator, kind: sines}\n"),
             "data: has no place here: an agent has an environment");
  CHECK_SAYS(refused(kMaze + "readouts: []\n"), "readouts: has no place here");
  CHECK_SAYS(refused("experiment: e\nenvironment: {type: t_maze, episodes: 1, steps: 1}\n"),
             "expected exactly one of the keys hierarchy, network, agent, got 0");
  CHECK_SAYS(refused("experiment: e\ndata: {source: generator, kind: sines, frequencies: [0.1], "
                     "steps: 9}\nenvironment: {type: t_maze}\nhierarchy: {levels: [{layers: "
                     "[{type: reactive, size: 2}]}]}\n"),
             "environment: has no place here");
  CHECK_SAYS(refused(kMaze, {"controls=[randon]"}), "did you mean 'random'?");
  CHECK_SAYS(refused(kMaze, {"device=cuda:0"}), "computes on the CPU");
  CHECK_SAYS(refused(kMaze, {"environment.win_probability=1.5"}), "got '1.5'");
  CHECK_SAYS(refused(kMaze, {"agent.type=continuous"}), "preference");
  CHECK_SAYS(refused(kGrid, {"environment.start=17"}), "environment.start", "got 17");
  CHECK_SAYS(refused(kMaze, {"agent.model={type: grid_world}"}),
             "agent.model: expected modalities of 4, 3, 3 outcomes");
  CHECK_SAYS(refused(kMaze, {"environment.episodes=4294967296", "environment.steps=4294967296"}),
             "environment.episodes: expected at most");
}

TEST_CASE("what is wrong with a continuous agent is told, too") {
  CHECK_SAYS(refused(kMass, {"agent.preference.target=[0]"}),
             "agent.preference.target: expected 2 numbers", "got 1");
  CHECK_SAYS(refused(kMass, {"agent.search.elites=99"}), "agent");
  CHECK_SAYS(refused(replaced(kMass, "point_mass", "t_maze")),
             "agent.type: expected discrete, since environment t_maze is discrete, got continuous");
  const Experiment reads = load(
      kMass,
      {"agent.reads_reward=true", "agent.preference={target: [0, 0, 0], precision: [1, 0, 1]}"});
  CHECK(std::get<ContinuousAgentConfig>(reads.config.agent()->kind).reads_reward);
}

TEST_CASE("controls that do not apply are left out, and told") {
  const Experiment maze = load(replaced(kMaze, "[random, no_epistemic]", "[random, frozen]"));
  REQUIRE(maze.warnings.size() == 1);
  CHECK_SAYS(maze.warnings[0], "frozen: the agent does not learn");
  CHECK_SAYS(load(kMaze, {"agent.planning.use_epistemic=false"}).warnings.front(), "no_epistemic");
  CHECK(load(kGrid).warnings.empty());
  // Nobody has asked for those of the default.
  CHECK(load(replaced(kMaze, "controls: [random, no_epistemic]\n", "")).warnings.empty());
}

TEST_CASE("the JSON Schema knows agents, their environments and which keys stand together") {
  const nlohmann::json schema = nlohmann::json::parse(json_schema());
  REQUIRE(schema["oneOf"].size() == 3);
  CHECK(schema["oneOf"][2]["required"] == nlohmann::json({"agent", "environment"}));
  CHECK(schema["properties"]["agent"]["oneOf"].size() == 2);
  CHECK(schema["properties"]["environment"]["oneOf"].size() == 8);
  CHECK(schema["properties"]["controls"].contains("anyOf"));
  CHECK(schema["properties"]["output"]["properties"].contains("plans"));
}

TEST_CASE("a learnt policy has its keys, which are written as they were read") {
  CHECK_FALSE(std::get<ContinuousAgentConfig>(load(kMass).config.agent()->kind).has_policy);
  CHECK_SAYS(to_yaml(load(kMass).config), "policy: none");
  const std::string text =
      replaced(kMass, "  random_steps: 10\n",
               "  random_steps: 10\n"
               "  policy: {act: mixed, teaching_episodes: 1, plan_every: 4, learning_rate: 0.01, "
               "hidden: [7]}\n");
  const Experiment experiment = load(replaced(text, "[random, frozen]", "[random, planning]"));
  const auto& agent = std::get<ContinuousAgentConfig>(experiment.config.agent()->kind);
  CHECK(agent.policy_acts());
  CHECK(agent.policy.act == agents::LearntPolicyOptions::Act::mixed);
  CHECK(agent.policy.plan_every == 4);
  CHECK(agent.policy.model.hidden == std::vector<std::int64_t>{7});
  CHECK(agent.policy.model.optimiser.learning_rate == 0.01);
  CHECK(experiment.warnings.empty());
  const std::string yaml = to_yaml(experiment.config);
  CHECK(to_yaml(load(yaml).config) == yaml);
  CHECK_SAYS(refused(text, {"agent.policy.act=habit"}), "planning, policy");
  CHECK_SAYS(refused(text, {"agent.policy.plan_every=1"}), "plan_every");
  CHECK_SAYS(refused(text, {"agent.policy.learning_rate=0"}), "learning_rate");
}

TEST_CASE("a policy that acts too late, and planning beside an agent that plans, are told") {
  const std::string text = replaced(kMass, "  random_steps: 10\n",
                                    "  random_steps: 10\n"
                                    "  policy: {act: policy, teaching_episodes: 3}\n");
  REQUIRE(load(text).warnings.size() == 1);
  CHECK_SAYS(load(text).warnings[0], "the policy never acts");
  CHECK_SAYS(load(text, {"agent.policy.teaching_episodes=2"}).warnings[0], "take 1 or fewer");
  const Experiment plans = load(replaced(kMass, "[random, frozen]", "[random, planning]"));
  REQUIRE(plans.warnings.size() == 1);
  CHECK_SAYS(plans.warnings[0], "planning: the agent plans itself");
}
