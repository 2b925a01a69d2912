// SPDX-License-Identifier: MIT
/// \file
/// What a continuous agent has learnt of what planning chooses, as its results file has it.
#pragma once

#include <string>
#include <vector>

#include "../../agents/continuous/agent.h"
#include "agent_player.h"

namespace gaia {

/// Adds what is reported of the policy episode by episode.
void add_policy_episodes(AgentLayout& layout);

/// Adds the variables of the policy, and their axes.  `observed`: names of what the agent observes;
/// `acted`: names of its actions.
void add_learnt_policy(AgentLayout& layout, const agents::StochasticActionModel& policy,
                       const std::vector<std::string>& observed,
                       const std::vector<std::string>& acted);

/// The numbers of these variables, in their order.
AgentColumns learnt_policy(const agents::StochasticActionModel& policy);

/// Appends columns to others.
void add_columns(AgentColumns& columns, AgentColumns more);

/// Attributes planned_steps, policy_steps, seconds_per_planned_step, seconds_per_policy_step; NaN
/// of what did not happen.
Attributes time_attributes(const agents::ChoiceTimes& times);

}  // namespace gaia
