// SPDX-License-Identifier: MIT
#include "agent_player.h"

#include "bandit_player.h"
#include "continuous_player.h"
#include "discrete_player.h"

namespace gaia {
namespace {

/// Why an agent is the same without what outcomes tell; empty where it is not.
std::string why_no_epistemic(const AgentConfig& agent) {
  if (const auto* const discrete = std::get_if<DiscreteAgentConfig>(&agent.kind)) {
    const bool counts_gain = discrete->planning.use_epistemic ||
                             discrete->planning.parameter_gain != agents::ParameterGain::none;
    return counts_gain ? "" : "the agent does without epistemic value itself";
  }
  const agents::ContinuousAgentOptions& options =
      std::get<ContinuousAgentConfig>(agent.kind).options;
  if (!options.use_information_gain) return "the agent does without information gain itself";
  return options.use_preference ? "" : "information gain is all that the agent counts";
}

bool policy_acts(const AgentConfig& agent) {
  const auto* const continuous = std::get_if<ContinuousAgentConfig>(&agent.kind);
  return continuous != nullptr && continuous->policy_acts();
}

}  // namespace

AgentLayout agent_layout(const ExperimentConfig& config) {
  return config.agent()->is_discrete() ? discrete_layout(config) : continuous_layout(config);
}

std::unique_ptr<AgentPlayer> make_player(const ExperimentConfig& config,
                                         const std::string& control) {
  return config.agent()->is_discrete() ? make_discrete_player(config, control)
                                       : make_continuous_player(config, control);
}

Device agent_device(const ExperimentConfig& config) {
  return config.device == "auto" ? Device::cpu() : Device::from_name(config.device);
}

AgentControls agent_controls(const AgentConfig& agent) {
  AgentControls controls;
  const std::string no_epistemic = why_no_epistemic(agent);
  for (const std::string& name : agent.controls) {
    if (name == "frozen" && !agent.learns()) {
      controls.left_out.push_back("frozen: the agent does not learn");
    } else if (name == "no_epistemic" && !no_epistemic.empty()) {
      controls.left_out.push_back("no_epistemic: " + no_epistemic);
    } else if (const std::string why = is_bandit_control(name) ? why_no_bandit(agent) : "";
               !why.empty()) {
      controls.left_out.push_back(name + ": " + why);
    } else if (name == "planning" && !policy_acts(agent)) {
      controls.left_out.push_back("planning: the agent plans itself");
    } else {
      controls.run.push_back(name);
    }
  }
  return controls;
}

std::string agent_control_title(const std::string& control) {
  if (control == "random") return "random actions";
  if (control == "no_epistemic") return "no epistemic value";
  if (control == "frozen") return "learning off";
  if (control == "ucb1") return "UCB1";
  if (control == "thompson") return "Thompson sampling";
  if (control == "planning") return "planning throughout";
  return control;
}

}  // namespace gaia
