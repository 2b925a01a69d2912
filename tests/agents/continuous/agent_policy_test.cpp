// SPDX-License-Identifier: MIT
// A continuous agent whose policy is learnt from what planning chooses.
#include <cmath>
#include <string>
#include <vector>

#include "../../../src/agents/continuous/agent.h"
#include "../../../src/agents/continuous/worlds.h"
#include "../../../src/array/create.h"
#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::agents;

namespace {

using Act = LearntPolicyOptions::Act;

ContinuousAgentOptions taught_options(Act act) {
  return {.preference = {.target = {0, 0}, .precision = {1, 0}},
          .model = {.members = 2, .hidden = {8}, .batch = 8},
          .horizon = 4,
          .hold = 2,
          .search = {.population = 12, .elites = 3, .iterations = 2},
          .random_steps = 6,
          .training_ratio = 1,
          .policy = LearntPolicyOptions{.act = act,
                                        .teaching_episodes = 2,
                                        .plan_every = 3,
                                        .training_ratio = 2,
                                        .model = {.hidden = {8}, .batch = 8}},
          .random = {1, 2}};
}

ContinuousWorld short_mass() { return point_mass({.max_steps = 20, .random = {1, 1}}); }

ContinuousAgent taught_agent(const ContinuousAgentOptions& options) {
  return {2, {-1}, {1}, options};
}

/// One episode: who chose each action.
std::string choosers(ContinuousWorld& world, ContinuousAgent& agent) {
  std::string all;
  std::vector<double> observation = world.reset();
  while (!world.is_done()) {
    observation = world.step(agent.step(observation)).observation;
    all += "?+*!"[static_cast<int>(agent.last_chooser())];
  }
  agent.end_episode(observation);
  return all;
}

std::string unlike(const ArrayMap& one, const ArrayMap& other) {
  if (one.size() != other.size()) return "number of arrays";
  std::string names;
  for (const auto& [name, value] : one) {
    if (value.to_vector<double>() != other.at(name).to_vector<double>()) names += name + " ";
  }
  return names;
}

}  // namespace

TEST_CASE("planning teaches, then the policy acts alone, by turns, or not at all") {
  const auto episodes = [](Act act) {
    ContinuousWorld world = short_mass();
    ContinuousAgent agent = taught_agent(taught_options(act));
    std::vector<std::string> all;
    for (int i = 0; i < 3; ++i) all.push_back(choosers(world, agent));
    return all;
  };
  const std::string random = "??????++++++++++++++", plans(20, '+');
  CHECK(episodes(Act::planning) == std::vector<std::string>{random, plans, plans});
  CHECK(episodes(Act::policy) == std::vector<std::string>{random, plans, std::string(20, '*')});
  // Each action is held for two steps, and each third one is planned.
  CHECK(episodes(Act::mixed) == std::vector<std::string>{random, plans, "****++****++****++**"});
}

TEST_CASE("what a policy is taught is what planning chose, where each action begins") {
  ContinuousWorld world = short_mass();
  ContinuousAgent agent = taught_agent(taught_options(Act::policy));
  std::vector<double> observation = world.reset();
  std::vector<double> seen, chosen;
  for (int t = 0; t < 20; ++t) {
    const double action = agent.step(observation)[0];
    if (t >= 6 && t % 2 == 0) {
      seen.insert(seen.end(), observation.begin(), observation.end());
      chosen.push_back(std::atanh(std::fmax(-0.99, std::fmin(0.99, action))));
    }
    observation = world.step(std::vector{action}).observation;
  }
  CHECK(agent.state().at("policy.inputs").to_vector<double>() == seen);
  CHECK(agent.state().at("policy.targets").to_vector<double>() == chosen);
  agent.end_episode(observation);
  CHECK(agent.policy()->trained() == 14);  // two for each of 7 choices
  CHECK(agent.last_policy_training().steps == 14);
}

TEST_CASE("a policy beside planning changes nothing of what the agent does") {
  ContinuousWorld one = short_mass(), other = short_mass();
  ContinuousAgentOptions options = taught_options(Act::planning);
  ContinuousAgent with = taught_agent(options);
  options.policy.reset();
  ContinuousAgent without = taught_agent(options);
  for (int i = 0; i < 3; ++i) {
    choosers(one, with);
    choosers(other, without);
  }
  CHECK(without.policy() == nullptr);
  ArrayMap rest = with.state();
  for (auto place = rest.begin(); place != rest.end();) {
    place = place->first.starts_with("policy") ? rest.erase(place) : std::next(place);
  }
  CHECK(unlike(without.state(), rest).empty());
}

TEST_CASE("a policy that acts alone does what it gives, and nothing is planned or learnt") {
  ContinuousWorld world = short_mass();
  ContinuousAgent agent = taught_agent(taught_options(Act::policy));
  for (int i = 0; i < 2; ++i) choosers(world, agent);
  const ArrayMap before = agent.state();
  std::vector<double> observation = world.reset(), expected;
  for (int t = 0; t < 20; ++t) {
    if (t % 2 == 0) expected = agent.policy()->get_action(observation);
    const std::vector<double> action = agent.step(observation);
    CHECK(action == expected);
    observation = world.step(action).observation;
  }
  agent.end_episode(observation);
  const std::string changed = unlike(before, agent.state());
  for (const char* const kept :
       {"model.ensemble", "model.optimiser", "model.used", "policy.", "plan."}) {
    INFO(changed);
    CHECK(changed.find(kept) == std::string::npos);
  }
  CHECK(agent.last_training().steps == 0);
  CHECK(agent.times().policy_steps == 20);
  CHECK(agent.times().planned_steps == 34);
}

TEST_CASE("an agent with a policy is resumed bit for bit at any step") {
  for (const Act act : {Act::policy, Act::mixed}) {
    for (const int stop : {1, 4, 5, 11}) {
      ContinuousAgentOptions options = taught_options(act);
      options.policy->is_sampled = true;
      options.policy->starts_search = true;
      ContinuousWorld world = short_mass(), other_world = short_mass();
      ContinuousAgent agent = taught_agent(options), other = taught_agent(options);
      for (int i = 0; i < 2; ++i) choosers(world, agent);
      std::vector<double> observation = world.reset();
      for (int t = 0; t < stop; ++t) observation = world.step(agent.step(observation)).observation;
      other.set_state(agent.state());
      other_world.set_state(world.state());
      CHECK(unlike(agent.state(), other.state()).empty());
      std::vector<double> seen = observation;
      for (; !world.is_done();) {
        const auto one = agent.step(observation), same = other.step(seen);
        CHECK(one == same);
        observation = world.step(one).observation;
        seen = other_world.step(same).observation;
      }
      agent.end_episode(observation);
      other.end_episode(seen);
      CHECK(unlike(agent.state(), other.state()).empty());
    }
  }
}

TEST_CASE("a search may begin with what the policy would do") {
  ContinuousAgentOptions options = taught_options(Act::planning);
  options.hold = 1;
  options.search.first_deviation = 1e-9;
  options.search.least_deviation = 0;
  options.policy->starts_search = true;
  ContinuousWorld world = short_mass();
  ContinuousAgent agent = taught_agent(options);
  choosers(world, agent);
  std::vector<double> seen = {0.4, -0.1};
  agent.observe(seen);
  const ContinuousPlan plan = agent.plan();
  // The first action is the policy's here, the next ones are those where the model expects to be.
  for (const std::vector<double>& action : plan.actions) {
    CHECK(action[0] == Approx(agent.policy()->get_action(seen)[0]).margin(1e-5));
    const WorldModel::Prediction next =
        agent.model().predict(from_values(seen, {1, 2}), from_values(action, {1, 1}));
    for (std::int64_t d = 0; d < 2; ++d) {
      seen[static_cast<std::size_t>(d)] =
          (next.mean.item({0, 0, d}) + next.mean.item({1, 0, d})) / 2;
    }
  }
}

TEST_CASE("a state of a policy that does not fit is refused and changes nothing") {
  ContinuousWorld world = short_mass();
  ContinuousAgent agent = taught_agent(taught_options(Act::mixed));
  choosers(world, agent);
  const ArrayMap before = agent.state();
  for (const std::string name : {"policy.counts", "policy.network.weights.0", "policy_counts"}) {
    ArrayMap broken = before;
    broken.erase(name);
    CHECK_THROWS_AS(agent.set_state(broken), ArgumentError);
    broken[name] = zeros({77});
    CHECK_THROWS_AS(agent.set_state(broken), Error);
  }
  ArrayMap broken = before;
  broken["policy_counts"] = from_values(std::vector<std::int64_t>{2, 0, 0, 0}, {4});
  CHECK_THROWS_WITH_TEXT(agent.set_state(broken), ArgumentError, "policy_counts");
  CHECK(unlike(before, agent.state()).empty());
}

TEST_CASE("options of a learnt policy that are out of their range are refused") {
  const auto refused = [](auto change) {
    ContinuousAgentOptions options = taught_options(Act::mixed);
    change(*options.policy);
    taught_agent(options);
  };
  using P = LearntPolicyOptions;
  CHECK_THROWS_WITH_TEXT(refused([](P& p) { p.teaching_episodes = -1; }), ArgumentError,
                         "policy.teaching_episodes");
  CHECK_THROWS_WITH_TEXT(refused([](P& p) { p.plan_every = 1; }), ArgumentError,
                         "policy.plan_every");
  CHECK_THROWS_WITH_TEXT(refused([](P& p) { p.training_ratio = -1; }), ArgumentError,
                         "policy.training_ratio");
  CHECK_THROWS_WITH_TEXT(refused([](P& p) { p.model.batch = 0; }), ArgumentError, "batch");
}
