// SPDX-License-Identifier: MIT
#include "learnt_policy.h"

#include <limits>
#include <utility>

namespace gaia {
namespace {

/// What layer i of the policy reads and, as i + 1, what it answers.
std::string policy_axis(std::size_t i, std::size_t layers) {
  if (i == 0) return "policy_read";
  return i == layers ? "policy_output" : "policy_unit_" + std::to_string(i);
}

double seconds_each(double seconds, std::int64_t steps) {
  return steps > 0 ? seconds / static_cast<double>(steps)
                   : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void add_policy_episodes(AgentLayout& layout) {
  layout.episodes.push_back({.name = "policy_steps",
                             .long_name = "steps of the episode that the policy chose",
                             .is_integer = true});
  layout.episodes.push_back({.name = "policy_training_steps",
                             .long_name = "steps of training of the policy behind the episode",
                             .is_integer = true});
  layout.episodes.push_back({.name = "policy_loss",
                             .long_name = "mean loss of the policy in the last tenth of them",
                             .units = "nat"});
}

void add_learnt_policy(AgentLayout& layout, const agents::StochasticActionModel& policy,
                       const std::vector<std::string>& observed,
                       const std::vector<std::string>& acted) {
  const std::vector<std::int64_t>& hidden = policy.options().hidden;
  const std::size_t layers = hidden.size() + 1;
  std::vector<std::string> read, outputs;
  for (const std::int64_t d : policy.read()) read.push_back(observed[static_cast<std::size_t>(d)]);
  for (const char* const of : {"mean for ", "log variance for "}) {
    for (const std::string& name : acted) outputs.push_back(of + name);
  }
  layout.axes.push_back({"policy_read", std::ssize(read), "what the policy reads", read});
  layout.axes.push_back({"policy_output", std::ssize(outputs), "what it answers", outputs});
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    layout.axes.push_back({policy_axis(i + 1, layers), hidden[i],
                           "unit of hidden layer " + std::to_string(i + 1) + " of the policy"});
  }
  const auto add = [&](const std::string& name, const std::string& long_name,
                       std::vector<std::string> axes) {
    layout.learnt.push_back({.name = name, .long_name = long_name, .axes = std::move(axes)});
  };
  for (std::size_t i = 0; i < layers; ++i) {
    const std::string number = std::to_string(i), answers = policy_axis(i + 1, layers);
    add("policy_weights_" + number, "weights of layer " + number + " of the policy",
        {answers, policy_axis(i, layers)});
    add("policy_bias_" + number, "bias of layer " + number + " of the policy", {answers});
  }
  add("policy_least_log_variance", "lower soft bound of its log variance", {"acted"});
  add("policy_most_log_variance", "upper soft bound of its log variance", {"acted"});
  add("policy_read_mean", "subtracted from what the policy reads", {"policy_read"});
  add("policy_read_scale", "what the policy reads is divided by it", {"policy_read"});
}

AgentColumns learnt_policy(const agents::StochasticActionModel& policy) {
  const ArrayMap parameters = policy.network().state();
  AgentColumns columns;
  const auto add = [&](const std::string& name) {
    columns.push_back(parameters.at(name).to_vector<double>());
  };
  for (std::size_t i = 0; i <= policy.options().hidden.size(); ++i) {
    for (const char* const part : {"weights.", "bias."}) add(part + std::to_string(i));
  }
  for (const char* const bound : {"least", "most"}) add(bound);
  columns.push_back(policy.read_moments().mean());
  columns.push_back(policy.read_moments().deviation());
  return columns;
}

void add_columns(AgentColumns& columns, AgentColumns more) {
  for (std::vector<double>& column : more) columns.push_back(std::move(column));
}

Attributes time_attributes(const agents::ChoiceTimes& times) {
  return {{"planned_steps", times.planned_steps},
          {"policy_steps", times.policy_steps},
          {"seconds_per_planned_step", seconds_each(times.planning_seconds, times.planned_steps)},
          {"seconds_per_policy_step", seconds_each(times.policy_seconds, times.policy_steps)}};
}

}  // namespace gaia
