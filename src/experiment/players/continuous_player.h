// SPDX-License-Identifier: MIT
/// \file
/// A continuous agent of an experiment, in its world.
#pragma once

#include <memory>
#include <string>

#include "agent_player.h"

namespace gaia {

/// The world of an experiment, with its own stream of random numbers.
/// \throws ArgumentError for options that make none.
agents::ContinuousWorld make_continuous_world(const ExperimentConfig& config);

/// The agent, with its own streams of random numbers, or with what is different in a control.
/// \throws ArgumentError for what does not fit the world.
agents::ContinuousAgent make_continuous_agent(const ExperimentConfig& config,
                                              const agents::ContinuousWorld& world,
                                              const std::string& control = "");

/// Continuous agents' parts of agent_layout and make_player.
AgentLayout continuous_layout(const ExperimentConfig& config);
std::unique_ptr<AgentPlayer> make_continuous_player(const ExperimentConfig& config,
                                                    const std::string& control);

}  // namespace gaia
