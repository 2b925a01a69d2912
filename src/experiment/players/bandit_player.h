// SPDX-License-Identifier: MIT
/// \file
/// Bandits for comparison with an agent of a discrete world: they know no states and see no
/// outcomes, only which combination of actions was worth how much.
#pragma once

#include <memory>
#include <string>

#include "agent_player.h"

namespace gaia {

/// "ucb1" or "thompson".
bool is_bandit_control(const std::string& control);

/// Why there is no bandit beside this agent; empty where there is one.
std::string why_no_bandit(const AgentConfig& agent);

/// Its arms are all combinations of actions of the factors, the last factor's fastest.  What it
/// learns of a step is the reward, from 0 for the least preferred outcomes of all modalities to 1
/// for the most preferred ones; where all are preferred alike, 1/2.  It goes on learning over all
/// episodes.
std::unique_ptr<AgentPlayer> make_bandit_player(const ExperimentConfig& config,
                                                const std::string& control);

}  // namespace gaia
