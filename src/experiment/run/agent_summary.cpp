// SPDX-License-Identifier: MIT
#include "agent_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "../../array/device.h"
#include "../../core/text.h"
#include "../players/agent_player.h"
#include "../setup/one_seed.h"
#include "progress.h"
#include "summary.h"

namespace gaia {
namespace {

/// What an empty file with its groups takes, about.
constexpr double kAgentFileBytes = 60e3;
/// How long the speed of an agent is tried, in seconds, and how many steps at most.
constexpr double kTrialSeconds = 0.3;
constexpr std::int64_t kTrialSteps = 2000;

double numbers_of_row(const AgentLayout& layout, const std::vector<AgentVariable>& variables) {
  double numbers = 0.0;
  for (const AgentVariable& variable : variables) {
    double own = 1.0;
    for (const std::string& name : variable.axes) {
      for (const AgentAxis& axis : layout.axes) {
        if (axis.name == name) own *= static_cast<double>(axis.length);
      }
    }
    numbers += own;
  }
  return numbers;
}

double rows_of_agent(const Recording& recording, double steps) {
  if (recording.what == Recording::What::none) return 0.0;
  return steps / static_cast<double>(recording.every);
}

/// Steps per second of an agent that begins to plan.
double agent_speed(ExperimentConfig config) {
  // Actions that are drawn at the beginning take no time.
  if (auto* const continuous =
          std::get_if<ContinuousAgentConfig>(&config.kind.get_if<AgentConfig>()->kind)) {
    continuous->options.random_steps = 0;
  }
  const std::unique_ptr<AgentPlayer> player = make_player(config);
  const auto start = std::chrono::steady_clock::now();
  std::int64_t steps = 0;
  double seconds = 0.0;
  while (steps < kTrialSteps && seconds < kTrialSeconds) {
    player->begin_episode();
    bool has_ended = false;
    for (std::int64_t t = 0; t < config.agent()->environment.steps && !has_ended; ++t) {
      has_ended = player->step().has_ended;
      ++steps;
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (seconds >= kTrialSeconds) break;
    }
    player->end_episode();
  }
  return static_cast<double>(steps) / std::max(seconds, 1e-9);
}

std::string return_text(const std::string& name, const ReturnScore& score, std::size_t width) {
  return fmt::format("  {:{}}  {:>12.5g}  {:>12.4g}  {:>8}\n", name, width, score.mean,
                     score.deviation, grouped(score.episodes));
}

double number_of(const Attributes& all, const std::string& name) {
  for (const auto& [key, value] : all) {
    if (key == name) return std::get<double>(value);
  }
  return 0.0;
}

/// Time of a step of the policy compared with one of planning; empty where both have not acted.
std::string times_text(const Attributes& times) {
  const double planning = number_of(times, "seconds_per_planned_step");
  const double policy = number_of(times, "seconds_per_policy_step");
  if (!(planning > 0.0) || !(policy > 0.0)) return {};
  return fmt::format("policy   {:.3g} us for a step, planning {:.3g} us: {:.3g} times as long\n",
                     1e6 * policy, 1e6 * planning, planning / policy);
}

}  // namespace

AgentEstimate estimate_agent(const Experiment& experiment, bool trial) {
  const ExperimentConfig& config = experiment.config;
  const AgentLayout layout = agent_layout(config);
  const auto controls = static_cast<double>(agent_controls(*config.agent()).run.size());
  const auto steps = static_cast<double>(experiment.steps);
  const auto episodes = static_cast<double>(config.agent()->environment.episodes);
  AgentEstimate estimate;
  estimate.steps = experiment.steps * (1 + static_cast<std::int64_t>(controls));
  estimate.operations = static_cast<double>(estimate.steps);
  for (const AgentAxis& axis : layout.axes) {
    if (axis.name == "policy") estimate.policies = axis.length;
  }
  // A number takes 8 bytes; beside the variables stand step, episode, step within it, reward.
  const double learnt = numbers_of_row(layout, layout.learnt);
  const double plan = numbers_of_row(layout, layout.plans);
  estimate.disk_bytes =
      kAgentFileBytes +
      8.0 * (rows_of_agent(config.output.steps, steps) *
                 (4.0 + numbers_of_row(layout, layout.steps)) +
             rows_of_agent(config.output.plans, steps) * (1.0 + plan) +
             episodes * (4.0 + numbers_of_row(layout, layout.episodes) + 4.0 * controls) + learnt);
  // Rows that wait, returns, and the tables of the world and of agent and control, twice each.
  constexpr double waiting = 512.0;
  estimate.memory_bytes = 8.0 * (waiting * (plan + numbers_of_row(layout, layout.steps)) +
                                 episodes * (1.0 + controls) + 6.0 * learnt);
  if (trial) estimate.seconds = steps * (1.0 + controls) / agent_speed(config);
  return estimate;
}

std::string environment_line(const ExperimentConfig& config) {
  const EnvironmentConfig& environment = config.agent()->environment;
  return fmt::format("{}, {} episode{} of {} step{}", environment.kind->name(),
                     grouped(environment.episodes), environment.episodes == 1 ? "" : "s",
                     grouped(environment.steps), environment.steps == 1 ? "" : "s");
}

std::string agent_line(const ExperimentConfig& config) {
  const AgentLayout layout = agent_layout(config);
  std::string text = config.agent()->type();
  for (const auto& [name, value] : layout.about) {
    text += fmt::format(", {} {}", std::get<std::int64_t>(value), name);
  }
  return text + (config.agent()->learns() ? ", learns" : "");
}

std::string estimate_text(const Experiment& experiment, const AgentEstimate& estimate) {
  std::string text = fmt::format("world    {}\nagent    {}\n", environment_line(experiment.config),
                                 agent_line(experiment.config));
  const AgentControls controls = agent_controls(*experiment.config.agent());
  std::string names;
  for (const std::string& one : controls.run) names += (names.empty() ? "" : ", ") + one;
  if (!names.empty()) text += fmt::format("controls {}\n", names);
  text += fmt::format("steps    {} in all\nmemory   about {}\ndisk     at most about {}\n",
                      grouped(estimate.steps), bytes_text(estimate.memory_bytes),
                      bytes_text(estimate.disk_bytes));
  if (estimate.seconds > 0.0) {
    text += fmt::format("time     about {}\n", duration_text(estimate.seconds));
  }
  return text;
}

CheckedExperiment checked_agent(const Experiment& experiment, bool trial) {
  const AgentEstimate estimate = estimate_agent(experiment, trial);
  CheckedExperiment checked;
  checked.text = estimate_text(experiment, estimate);
  checked.shortages = shortages(experiment, estimate.memory_bytes, estimate.disk_bytes,
                                "; output.plans: {every: N} or none records less");
  checked.fields = {{"steps", estimate.steps},
                    {"policies", estimate.policies},
                    {"memory_bytes", estimate.memory_bytes},
                    {"disk_bytes", estimate.disk_bytes},
                    {"seconds", estimate.seconds},
                    {"warnings", experiment.warnings}};
  return checked;
}

std::string AgentSummary::text() const {
  std::string text;
  if (verdict.agent.episodes > 0) {
    std::size_t width = 5;
    for (const ControlReturns& control : verdict.controls) {
      width = std::max(width, agent_control_title(control.name).size());
    }
    const std::string units = reward_units;
    text += fmt::format("  {:{}}  {:>12}  {:>12}  {:>8}   (return of an episode{})\n", "", width,
                        "mean", "sd", "episodes", units == "1" ? "" : ", " + units);
    text += return_text("agent", verdict.agent, width);
    for (const ControlReturns& control : verdict.controls) {
      text += return_text(agent_control_title(control.name), control.score, width);
    }
  }
  for (const std::string& one : left_out) {
    text += fmt::format("         control left out, {}\n", one);
  }
  text += times_text(times);
  if (impossible > 0) {
    text += fmt::format(
        "warning  {} observation{} of the agent {} impossible by its model: a probability of 0 "
        "counts as 1e-16\n",
        grouped(impossible), impossible == 1 ? "" : "s", impossible == 1 ? "was" : "were");
  }
  if (!verdict.text.empty()) {
    text += fmt::format("{}  {}\n", verdict.is_bad ? "warning" : "verdict", verdict.text);
    if (!one_seed.empty()) text += fmt::format("         {}\n", one_seed);
  }
  const bool complete = status == RunStatus::complete;
  const double rate = seconds > 0.0 ? static_cast<double>(steps_done) / seconds : 0.0;
  text += fmt::format("{}  {} of {} episodes, {} steps with those of controls in {}, {} steps/s\n",
                      complete ? "done   " : "stopped", grouped(episodes_done), grouped(episodes),
                      grouped(steps_done), duration_text(seconds), rate_text(rate));
  text += file_lines(file, false);
  return complete ? text + xarray_line(file, "agent") : text;
}

Fields AgentSummary::fields() const {
  const auto score = [](const ReturnScore& of) {
    return Fields{{"mean_return", of.mean},
                  {"standard_deviation", of.deviation},
                  {"judged_episodes", of.episodes}};
  };
  Fields controls;
  for (const ControlReturns& control : verdict.controls) {
    controls.emplace_back(control.name, score(control.score));
  }
  Fields agent = score(verdict.agent);
  agent.emplace_back("controls", controls);
  for (const auto& [name, value] : times) {
    std::visit([&, &key = name](const auto& number) { agent.emplace_back(key, number); }, value);
  }
  return {{"agent", agent}, {"verdict", of_one_seed(verdict.text)}};
}

}  // namespace gaia
