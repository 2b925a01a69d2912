// SPDX-License-Identifier: MIT
#include "agent_checks.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "../../array/device.h"
#include "../../core/checked.h"
#include "../../core/error.h"
#include "agent_player.h"
#include "discrete_player.h"

namespace gaia {
namespace {

/// "below.key" of a message "[kind] key: ..." or "[kind] key[0]...: ...", where it has a key.
std::string agent_key(const std::string& below, const std::string& message) {
  const std::size_t begin = message.find("] ");
  const std::size_t end = message.find(": ", begin == std::string::npos ? 0 : begin);
  if (message.empty() || message.front() != '[' || begin == std::string::npos ||
      end == std::string::npos) {
    return below;
  }
  const std::string key = message.substr(begin + 2, end - begin - 2);
  const bool is_key = key.find_first_not_of(
                          "abcdefghijklmnopqrstuvwxyz0123456789_.[]") == std::string::npos;
  return is_key ? below + "." + key : below;
}

void check_device(const Experiment& experiment, const AddProblem& add) {
  const std::string& name = experiment.config.device;
  if (name == "auto") return;
  try {
    if (Device::from_name(name).is_cpu()) return;
  } catch (const ArgumentError&) {
    return;  // told elsewhere
  }
  add("device", "a discrete agent computes on the CPU; take device cpu or auto");
}

/// That an agent with a model of its own sees and does what its world has.
void check_fits(const agents::GenerativeModel& own, const agents::GenerativeModel& world,
                const AddProblem& add) {
  const auto text = [](const std::vector<std::int64_t>& numbers) {
    std::string all;
    for (const std::int64_t n : numbers) all += (all.empty() ? "" : ", ") + std::to_string(n);
    return all;
  };
  if (own.outcomes() != world.outcomes()) {
    add("agent.model", fmt::format("expected modalities of {} outcomes, as the environment has "
                                   "them, got {}",
                                   text(world.outcomes()), text(own.outcomes())));
  }
  if (own.actions() != world.actions()) {
    add("agent.model", fmt::format("expected factors of {} actions, as the environment has them, "
                                   "got {}",
                                   text(world.actions()), text(own.actions())));
  }
  if (own.states() != world.states()) {
    add("agent.model", fmt::format("expected factors of {} states, as the environment has them, "
                                   "got {}",
                                   text(world.states()), text(own.states())));
  }
}

}  // namespace

void check_agent(Experiment& experiment, const AddProblem& add) {
  const AgentConfig& agent = *experiment.config.agent;
  const EnvironmentConfig& environment = agent.environment;
  check_device(experiment, add);
  if (agent.type() != environment.kind->agent()) {
    return add("agent.type", fmt::format("expected {}, since environment {} is {}, got {}",
                                         environment.kind->agent(), environment.kind->name(),
                                         environment.kind->agent(), agent.type()));
  }
  constexpr std::int64_t most = std::int64_t{1} << 53;
  const auto players = static_cast<std::int64_t>(agent.controls.size()) + 1;
  const auto steps = checked_multiply(environment.episodes, environment.steps);
  const auto all = steps ? checked_multiply(*steps, players) : std::nullopt;
  if (!all || *all > most) {
    return add("environment.episodes",
               fmt::format("expected at most {} of {} steps each, got {}",
                           most / players / environment.steps, environment.steps,
                           environment.episodes));
  }
  experiment.steps = *steps;
  std::optional<agents::GenerativeModel> world;
  try {
    world = make_discrete_world(experiment.config).model();
  } catch (const ArgumentError& error) {
    return add(agent_key("environment", error.what()), error.what());
  }
  try {
    check_fits(discrete_model(experiment.config), *world, add);
  } catch (const ArgumentError& error) {
    return add(agent_key("agent.model", error.what()), error.what());
  }
  try {
    make_discrete_agent(experiment.config);
  } catch (const ArgumentError& error) {
    return add(agent_key("agent", error.what()), error.what());
  }
  for (const std::string& one : agent_controls(agent).left_out) {
    experiment.warnings.push_back("controls: left out is " + one);
  }
}

}  // namespace gaia
