// SPDX-License-Identifier: MIT
/// \file
/// What a continuous agent has learnt of its world, as its results file has it: the networks, and
/// how their inputs and outputs are scaled.  docs/results.md tells how to predict by it.
#pragma once

#include <string>
#include <vector>

#include "../../agents/continuous/agent.h"
#include "agent_player.h"

namespace gaia {

/// Adds the variables of what was learnt, and their axes.  `observed`: names of what the agent
/// observes, which an axis "observed" has; `acted`: names of its actions.
void add_learnt_world_model(AgentLayout& layout, const agents::ContinuousAgent& agent,
                            const std::vector<std::string>& observed,
                            const std::vector<std::string>& acted);

/// The numbers of these variables, in their order.
AgentColumns learnt_world_model(const agents::ContinuousAgent& agent);

}  // namespace gaia
