// SPDX-License-Identifier: MIT
/// \file
/// What a person is told of an agent before it runs.
#pragma once

#include <string>

#include "agent_run.h"
#include "needs.h"

namespace gaia {

/// What an agent will need with its controls; operations are their steps.
struct AgentEstimate : Needs {
  std::int64_t steps = 0;     ///< Most steps of the agent and its controls together.
  std::int64_t policies = 0;  ///< Policies that are judged at every step; 0 where there are none.
};
AgentEstimate estimate_agent(const Experiment& experiment, bool trial);

/// "t_maze, 100 episodes of 2 steps" and "discrete, 16 policies of 2 steps".
std::string environment_line(const ExperimentConfig& config);
std::string agent_line(const ExperimentConfig& config);

/// What `gaia check` says of an agent that can run.
std::string estimate_text(const Experiment& experiment, const AgentEstimate& estimate);

CheckedExperiment checked_agent(const Experiment& experiment, bool trial);

}  // namespace gaia
