// SPDX-License-Identifier: MIT
#include "../../../src/agents/continuous/agent.h"

#include <cmath>
#include <string>
#include <vector>

#include "../../../src/agents/continuous/worlds.h"
#include "../../../src/array/create.h"
#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::agents;

namespace {

ContinuousAgentOptions mass_options(std::uint64_t seed) {
  return {.preference = {.target = {0, 0}, .precision = {40, 4}},
          .model = {.members = 3, .hidden = {32}, .batch = 64},
          .horizon = 10,
          .search = {.population = 40, .elites = 6, .iterations = 3},
          .random_steps = 60,
          .training_ratio = 4,
          .random = {seed, 2}};
}

/// Small and quick, to see what is kept and drawn.
ContinuousAgentOptions quick_options() {
  return {.preference = {.target = {0, 0}, .precision = {1, 0}},
          .model = {.members = 2, .hidden = {8}, .batch = 8},
          .horizon = 4,
          .search = {.population = 12, .elites = 3, .iterations = 2},
          .random_steps = 5,
          .training_interval = 4,
          .training_ratio = 1,
          .random = {1, 2}};
}

ContinuousAgent agent_for(const ContinuousWorld& world, const ContinuousAgentOptions& options) {
  return {world.observation_size(), world.action_low(), world.action_high(), options};
}

/// One episode; the sum of rewards.
double run(ContinuousWorld& world, ContinuousAgent& agent) {
  double total = 0;
  std::vector<double> observation = world.reset();
  while (!world.is_done()) {
    const ContinuousStep step = world.step(agent.step(observation));
    observation = step.observation;
    total += step.reward;
  }
  agent.end_episode(observation);
  return total;
}

/// Names of the arrays in which two states differ.
std::string differences(const ArrayMap& one, const ArrayMap& other) {
  std::string names;
  for (const auto& [name, value] : one) {
    const Array& there = other.at(name);
    if (value.dtype() != there.dtype() || value.shape() != there.shape() ||
        value.to_vector<double>() != there.to_vector<double>()) {
      names += name + " ";
    }
  }
  return one.size() == other.size() ? names : "number of arrays";
}

}  // namespace

TEST_CASE(
    "An agent learns to bring a mass to rest, and neither chance nor one that cannot learn "
    "does") {
  double learnt = 0, chance = 0, still = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const std::string way : {"learnt", "chance", "still"}) {
      ContinuousWorld world = point_mass({.max_steps = 60, .random = {seed, 1}});
      ContinuousAgentOptions options = mass_options(seed);
      if (way != "learnt") options.is_learning = false;
      if (way == "chance") options.random_steps = 1000;
      ContinuousAgent agent = agent_for(world, options);
      double last = 0;
      for (int episode = 0; episode < 3; ++episode) last = run(world, agent);
      INFO(way << ", seed " << seed << ": " << last);
      if (way == "learnt") CHECK(last > -25);
      (way == "learnt" ? learnt : way == "chance" ? chance : still) += last / 3;
    }
  }
  INFO("learnt " << learnt << ", chance " << chance << ", still " << still);
  CHECK(learnt > chance + 20);
  CHECK(learnt > still + 20);
}

TEST_CASE("Planning changes no weight, no transition and no moment") {
  ContinuousWorld world = point_mass({.max_steps = 20, .random = {1, 1}});
  ContinuousAgent agent = agent_for(world, quick_options());
  run(world, agent);
  agent.observe(world.reset());
  const ArrayMap before = agent.state();
  for (int k = 0; k < 5; ++k) agent.plan();
  const ArrayMap after = agent.state();
  for (const auto& [name, value] : before) {
    if (!name.starts_with("model.") && !name.starts_with("replay.")) continue;
    INFO(name);
    CHECK(value.to_vector<double>() == after.at(name).to_vector<double>());
  }
  // What may change is the plan.
  const std::string changed = differences(before, after);
  for (const char* name : {"model", "replay", "observation ", "training"}) {
    if (changed.find(name) != std::string::npos) {
      CHECK(changed.find("plan.observations") != std::string::npos);
    }
  }
}

TEST_CASE("The same seed gives the same agent on any number of threads, and another one another") {
  const auto played = [](std::uint64_t seed) {
    ContinuousWorld world = point_mass({.max_steps = 25, .random = {1, 1}});
    ContinuousAgentOptions options = quick_options();
    options.random.seed = seed;
    ContinuousAgent agent = agent_for(world, options);
    run(world, agent);
    run(world, agent);
    return agent.state();
  };
  const ArrayMap first = played(1);
  {
    const test::Threads one(1);
    CHECK(differences(first, played(1)).empty());
  }
  CHECK_FALSE(differences(first, played(2)).empty());
}

TEST_CASE("An agent that is resumed goes on bit for bit") {
  // At each step of an episode, random and planned, also between plans.
  for (const int stop : {3, 7, 12, 15}) {
    ContinuousAgentOptions options = quick_options();
    options.hold = 2;
    options.actions_per_plan = 2;
    ContinuousWorld world = point_mass({.max_steps = 20, .random = {1, 1}});
    ContinuousAgent agent = agent_for(world, options);
    run(world, agent);
    std::vector<double> observation = world.reset();
    for (int t = 0; t < stop; ++t) observation = world.step(agent.step(observation)).observation;

    ContinuousWorld other_world = point_mass({.max_steps = 20, .random = {1, 1}});
    other_world.set_state(world.state());
    ContinuousAgent other = agent_for(other_world, options);
    other.set_state(agent.state());
    CHECK(differences(agent.state(), other.state()).empty());
    std::vector<double> seen = observation;
    while (!world.is_done()) {
      const std::vector<double> action = agent.step(observation);
      CHECK(other.step(seen) == action);
      observation = world.step(action).observation;
      seen = other_world.step(action).observation;
    }
    agent.end_episode(observation);
    other.end_episode(seen);
    run(world, agent);
    run(other_world, other);
    CHECK(differences(agent.state(), other.state()).empty());
    CHECK(agent.episodes() == 3);
    CHECK(other.episodes() == 3);
  }
}

TEST_CASE("A state that does not fit is refused and changes nothing") {
  ContinuousWorld world = point_mass({.max_steps = 10, .random = {1, 1}});
  ContinuousAgent agent = agent_for(world, quick_options());
  run(world, agent);
  const ArrayMap before = agent.state();
  for (const std::string name : {"counts", "plan.terms", "model.ensemble.weights.0",
                                 "model.optimiser.0.first", "replay.added", "model.draws"}) {
    ArrayMap broken = before;
    broken.erase(name);
    INFO(name);
    CHECK_THROWS_AS(agent.set_state(broken), ArgumentError);
    broken[name] = zeros({77});
    CHECK_THROWS_AS(agent.set_state(broken), Error);
  }
  for (const std::size_t which : {0u, 1u, 2u, 3u}) {
    ArrayMap broken = before;
    auto counts = before.at("counts").to_vector<std::int64_t>();
    counts[which] = which == 2 ? 11 : -1;
    broken["counts"] = from_values(counts, {6});
    CHECK_THROWS_WITH_TEXT(agent.set_state(broken), ArgumentError, "counts");
  }
  CHECK(differences(before, agent.state()).empty());
}

TEST_CASE("The terms of a plan fit each other") {
  ContinuousWorld world = point_mass({.max_steps = 10, .random = {1, 1}});
  for (const bool is_curious : {true, false}) {
    ContinuousAgentOptions options = quick_options();
    options.use_information_gain = is_curious;
    ContinuousAgent agent = agent_for(world, options);
    run(world, agent);
    const ContinuousPlan& plan = agent.last_plan();
    CHECK(plan.actions.size() == 4);
    CHECK(plan.observations.size() == 4);
    CHECK(plan.expected_free_energy == Approx(plan.risk + plan.ambiguity).epsilon(1e-10));
    CHECK(plan.expected_free_energy == plan.cross_entropy - plan.information_gain);
    CHECK(plan.objective ==
          Approx(is_curious ? plan.expected_free_energy : plan.cross_entropy).epsilon(1e-12));
    CHECK(plan.information_gain > 0);
    for (const auto& action : plan.actions) CHECK(std::abs(action[0]) <= 1.0);
  }
}

TEST_CASE("One member has nothing to tell apart") {
  ContinuousWorld world = point_mass({.max_steps = 10, .random = {1, 1}});
  ContinuousAgentOptions options = quick_options();
  options.model.members = 1;
  ContinuousAgent agent = agent_for(world, options);
  run(world, agent);
  CHECK(std::abs(agent.last_plan().information_gain) < 1e-10);
}

TEST_CASE("Only what is asked for counts: preference or information gain") {
  // Far from what is preferred, with members that differ everywhere.
  ContinuousWorld world = point_mass({.max_steps = 10, .random = {1, 1}});
  const auto planned = [&](bool preference, bool gain) {
    ContinuousAgentOptions options = quick_options();
    options.random_steps = 0;
    options.search = {.population = 100, .elites = 10, .iterations = 6};
    options.use_preference = preference;
    options.use_information_gain = gain;
    ContinuousAgent agent = agent_for(world, options);
    agent.observe(std::vector{2.0, 0.0});
    return agent.plan();
  };
  const ContinuousPlan both = planned(true, true), wanted = planned(true, false),
                       curious = planned(false, true);
  CHECK(wanted.cross_entropy <= both.cross_entropy + 1e-6);
  CHECK(curious.information_gain >= both.information_gain - 1e-6);
  CHECK(wanted.cross_entropy < curious.cross_entropy);
  CHECK(curious.information_gain > wanted.information_gain);
  CHECK(curious.objective == -curious.information_gain);
}

TEST_CASE("Actions are held, and plans followed, as long as the options say") {
  ContinuousWorld world = point_mass({.max_steps = 60, .random = {1, 1}});
  ContinuousAgentOptions options = quick_options();
  options.hold = 3;
  options.actions_per_plan = 2;
  options.random_steps = 12;
  options.training_interval = 0;
  ContinuousAgent agent = agent_for(world, options);
  std::vector<double> observation = world.reset();
  std::vector<double> taken;
  std::vector<std::vector<double>> plan;
  for (int t = 0; t < 36; ++t) {
    const double action = agent.step(observation)[0];
    taken.push_back(action);
    if (t >= 12) {
      if (t % 6 == 0) plan = agent.last_plan().actions;
      CHECK(agent.last_plan().actions == plan);
      CHECK(action == plan[static_cast<std::size_t>(t % 6 / 3)][0]);
    }
    if (t % 3 != 0) CHECK(action == taken[taken.size() - 2]);
    observation = world.step(std::vector{action}).observation;
  }
  CHECK(agent.last_plan().observations.size() == 12);
  CHECK(taken[0] != taken[3]);
}

TEST_CASE("A search begins with what remains of the last plan, and draws anew") {
  ContinuousAgentOptions options = quick_options();
  options.random_steps = 0;
  options.search.first_deviation = 1e-6;
  options.search.least_deviation = 0;
  ContinuousAgent agent(2, {-1}, {1}, options);
  const std::vector<double> observation = {0.5, 0.0};
  agent.step(observation);
  ArrayMap state = agent.state();
  state["search_mean"] = from_values(std::vector{0.1, 0.2, 0.3, 0.4}, {4});
  agent.set_state(state);
  agent.observe(observation);
  const std::vector<std::vector<double>> plan = agent.plan().actions;
  const double expected[4] = {0.2, 0.3, 0.4, 0.4};
  for (std::size_t h = 0; h < 4; ++h) CHECK(plan[h][0] == Approx(expected[h]).margin(1e-4));
  // Another one from the same place: nothing of the plan has been done.
  const std::vector<std::vector<double>> again = agent.plan().actions;
  for (std::size_t h = 0; h < 4; ++h) CHECK(again[h][0] == Approx(expected[h]).margin(1e-4));
  // From the middle, twice: other candidates are drawn.
  std::vector<std::vector<std::vector<double>>> from_middle;
  for (int k = 0; k < 2; ++k) {
    agent.reset();
    agent.observe(observation);
    from_middle.push_back(agent.plan().actions);
    for (const auto& action : from_middle.back()) CHECK(std::abs(action[0]) < 1e-4);
  }
  CHECK(from_middle[0] != from_middle[1]);
}

TEST_CASE("The last transition of an episode is kept, and none between episodes") {
  ContinuousAgentOptions options = quick_options();
  options.training_interval = 0;
  ContinuousAgent agent(1, {-1}, {1}, [&] {
    options.preference = {.target = {0}, .precision = {1}};
    return options;
  }());
  const auto seen = [](double x) { return std::vector{x}; };
  for (int episode = 0; episode < 2; ++episode) {
    agent.observe(seen(episode));
    agent.take(seen(0.5));
    agent.observe(seen(episode + 0.25));
    agent.take(seen(-0.5));
    agent.end_episode(seen(episode + 0.5));
  }
  REQUIRE(agent.replay().size() == 4);
  CHECK(agent.replay().before(1)[0] == 0.25);
  CHECK(agent.replay().action(1)[0] == -0.5);
  CHECK(agent.replay().after(1)[0] == 0.5);
  CHECK(agent.replay().before(2)[0] == 1.0);
  CHECK(agent.episodes() == 2);
  CHECK(agent.last_training().steps == 2);  // one for each transition since the last training
  CHECK(std::isfinite(agent.last_training().loss));
  // A trial that is broken off leaves no transition either.
  agent.observe(seen(7));
  agent.take(seen(0));
  agent.reset();
  agent.observe(seen(8));
  CHECK(agent.replay().size() == 4);
}

TEST_CASE("Training comes every so many transitions where that is asked for") {
  ContinuousWorld world = point_mass({.max_steps = 60, .random = {1, 1}});
  ContinuousAgent agent = agent_for(world, quick_options());
  std::vector<double> observation = world.reset();
  std::vector<std::int64_t> draws;
  for (int t = 0; t < 13; ++t) {
    observation = world.step(agent.step(observation)).observation;
    draws.push_back(agent.state().at("model.draws").to_vector<std::int64_t>()[0]);
  }
  // 4 steps of a batch of 8 for each of 2 members, after 4, 8 and 12 transitions.
  for (std::size_t t = 0; t < draws.size(); ++t) {
    CHECK(draws[t] == static_cast<std::int64_t>(t / 4) * 4 * 8 * 2);
  }
}

DEVICE_TEST_CASE("An agent works on each device") {
  ContinuousWorld world = point_mass({.max_steps = 7, .random = {1, 1}});
  ContinuousAgent agent = agent_for(world, quick_options());
  run(world, agent);
  CHECK(agent.last_training().steps == 3);
  CHECK(std::isfinite(agent.last_plan().objective));
}

TEST_CASE("What an agent cannot do is refused") {
  const auto make = [](auto change) {
    ContinuousAgentOptions options = quick_options();
    change(options);
    return ContinuousAgent(2, {-1}, {1}, options);
  };
  using O = ContinuousAgentOptions;
  CHECK_THROWS_WITH_TEXT(make([](O& o) { o.horizon = 0; }), ArgumentError, "horizon");
  CHECK_THROWS_WITH_TEXT(make([](O& o) { o.hold = 0; }), ArgumentError, "hold");
  CHECK_THROWS_WITH_TEXT(make([](O& o) { o.actions_per_plan = 5; }), ArgumentError,
                         "actions_per_plan");
  CHECK_THROWS_WITH_TEXT(make([](O& o) { o.random_steps = -1; }), ArgumentError, "random_steps");
  CHECK_THROWS_WITH_TEXT(make([](O& o) { o.training_ratio = -1; }), ArgumentError,
                         "training_ratio");
  CHECK_THROWS_WITH_TEXT(make([](O& o) { o.training_interval = -1; }), ArgumentError,
                         "training_interval");
  CHECK_THROWS_WITH_TEXT(make([](O& o) { o.preference.target = {0}; }), ArgumentError,
                         "[preference]");
  CHECK_THROWS_WITH_TEXT(make([](O& o) { o.use_preference = o.use_information_gain = false; }),
                         ArgumentError, "use_preference");
  CHECK_THROWS_WITH_TEXT(ContinuousAgent(2, {1}, {-1}, quick_options()), ArgumentError, "bounds");
  CHECK_THROWS_WITH_TEXT(ContinuousAgent(2, {}, {}, quick_options()), ArgumentError, "bounds");
  ContinuousAgent agent = make([](O& o) { o.random_steps = 0; });
  CHECK_THROWS_WITH_TEXT(agent.plan(), ArgumentError, "observe()");
  CHECK_THROWS_WITH_TEXT(agent.act(), ArgumentError, "observe()");
  CHECK_THROWS_WITH_TEXT(agent.take(std::vector{0.0}), ArgumentError, "observation");
  CHECK_THROWS_WITH_TEXT(agent.observe(std::vector{1.0}), ArgumentError, "2 finite");
  CHECK_THROWS_WITH_TEXT(agent.observe(std::vector<double>{1, INFINITY}), ArgumentError,
                         "not all finite");
  agent.observe(std::vector{0.0, 0.0});
  CHECK_THROWS_WITH_TEXT(agent.act(), ArgumentError, "plan()");
  CHECK_THROWS_WITH_TEXT(agent.observe(std::vector{0.0, 0.0}), ArgumentError, "take()");
}
