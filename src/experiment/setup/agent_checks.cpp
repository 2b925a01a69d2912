// SPDX-License-Identifier: MIT
#include "agent_checks.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "../../array/device.h"
#include "../../core/checked.h"
#include "../../core/error.h"
#include "../../core/names.h"
#include "../players/agent_player.h"
#include "../players/continuous_player.h"
#include "../players/discrete_player.h"

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
  const bool is_key =
      key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.[]") == std::string::npos;
  return is_key ? below + "." + key : below;
}

void check_device(const Experiment& experiment, const AddProblem& add) {
  const std::string& name = experiment.config.device;
  if (name == "auto") return;
  try {
    if (Device::from_name(name).is_cpu()) return;
  } catch (const ArgumentError&) {
    return;  // reported elsewhere
  }
  add("device", "a discrete agent computes on the CPU; take device cpu or auto");
}

/// Whether an agent with a model of its own sees and does what its world has.
bool check_fits_world(const agents::GenerativeModel& own, const agents::GenerativeModel& world,
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
  return own.outcomes() == world.outcomes() && own.actions() == world.actions() &&
         own.states() == world.states();
}

/// Whether the world can be built, and a discrete agent for it.
bool check_discrete(const ExperimentConfig& config, const AddProblem& add) {
  std::optional<agents::GenerativeModel> world;
  try {
    world = make_discrete_world(config).model();
  } catch (const ArgumentError& error) {
    add(agent_key("environment", error.what()), error.what());
    return false;
  }
  try {
    if (!check_fits_world(discrete_model(config), *world, add)) return false;
  } catch (const ArgumentError& error) {
    add(agent_key("agent.model", error.what()), error.what());
    return false;
  }
  try {
    make_discrete_agent(config);
  } catch (const ArgumentError& error) {
    add(agent_key("agent", error.what()), error.what());
    return false;
  }
  return true;
}

/// Warns where a policy acts never, or too late to be judged by what it does.
void warn_of_policy(Experiment& experiment) {
  const AgentConfig& agent = *experiment.config.agent();
  const auto* const continuous = std::get_if<ContinuousAgentConfig>(&agent.kind);
  if (continuous == nullptr || !continuous->policy_acts()) return;
  const std::int64_t taught = continuous->policy.teaching_episodes;
  const std::int64_t episodes = agent.environment.episodes;
  if (taught <= episodes / 2) return;
  experiment.warnings.push_back(fmt::format(
      "agent.policy.teaching_episodes: {} of {} episodes, {}; take {} or fewer", taught, episodes,
      taught >= episodes ? "so the policy never acts"
                         : "so planning acts in some of the second half, which is judged",
      episodes / 2));
}

/// The same of a continuous agent.
bool check_continuous(const ExperimentConfig& config, const AddProblem& add) {
  std::optional<agents::ContinuousWorld> world;
  try {
    world = make_continuous_world(config);
  } catch (const Error& error) {
    add(agent_key("environment", error.what()), error.what());
    return false;
  }
  const auto& agent = std::get<ContinuousAgentConfig>(config.agent()->kind);
  const std::int64_t seen = world->observation_size() + (agent.reads_reward ? 1 : 0);
  const agents::GaussianPreference& preference = agent.options.preference;
  bool is_right = true;
  for (const auto& [key, numbers] :
       {std::pair("target", &preference.target), std::pair("precision", &preference.precision)}) {
    if (std::ssize(*numbers) == seen) continue;
    add(fmt::format("agent.preference.{}", key),
        fmt::format("expected {} numbers, for {}{}, got {}", seen, join(world->observation_names()),
                    agent.reads_reward ? " and the reward" : "", numbers->size()));
    is_right = false;
  }
  if (!is_right) return false;
  try {
    const GPUContext on_host(Device::cpu());
    make_continuous_agent(config, *world);
  } catch (const Error& error) {
    add(agent_key("agent", error.what()), error.what());
    return false;
  }
  return true;
}

}  // namespace

void load_agent(Loader& loader) {
  ExperimentConfig& config = loader.experiment.config;
  if (config.agent()->is_discrete()) config.dtype = DType::float64;
  if (loader.problems.any_below("environment") || !loader.is_right()) return;
  check_agent(loader.experiment, loader.add);
}

void check_agent(Experiment& experiment, const AddProblem& add) {
  const AgentConfig& agent = *experiment.config.agent();
  const EnvironmentConfig& environment = agent.environment;
  if (agent.is_discrete()) check_device(experiment, add);
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
    return add("environment.episodes", fmt::format("expected at most {} of {} steps each, got {}",
                                                   most / players / environment.steps,
                                                   environment.steps, environment.episodes));
  }
  experiment.steps = *steps;
  const bool is_right = agent.is_discrete() ? check_discrete(experiment.config, add)
                                            : check_continuous(experiment.config, add);
  if (!is_right) return;
  warn_of_policy(experiment);
  // The end of the run reports those that nobody has asked for.
  if (agent.controls == AgentConfig().controls) return;
  for (const std::string& one : agent_controls(agent).left_out) {
    experiment.warnings.push_back("controls: left out is " + one);
  }
}

}  // namespace gaia
