// SPDX-License-Identifier: MIT
#include "agent_player.h"

#include "discrete_player.h"

namespace gaia {

AgentLayout agent_layout(const ExperimentConfig& config) { return discrete_layout(config); }

std::unique_ptr<AgentPlayer> make_player(const ExperimentConfig& config,
                                         const std::string& control) {
  return make_discrete_player(config, control);
}

AgentControls agent_controls(const AgentConfig& agent) {
  AgentControls controls;
  const auto& discrete = std::get<DiscreteAgentConfig>(agent.kind);
  for (const std::string& name : agent.controls) {
    const bool counts_gain = discrete.planning.use_epistemic ||
                             discrete.planning.parameter_gain != agents::ParameterGain::none;
    if (name == "frozen" && !agent.learns()) {
      controls.left_out.push_back("frozen: the agent does not learn");
    } else if (name == "no_epistemic" && !counts_gain) {
      controls.left_out.push_back("no_epistemic: the agent does without epistemic value itself");
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
  return control;
}

}  // namespace gaia
