// SPDX-License-Identifier: MIT
/// \file
/// A discrete agent of an experiment, in its world.
#pragma once

#include <memory>
#include <string>

#include "agent_player.h"

namespace gaia {

/// The model that a discrete agent begins with.  \throws ArgumentError "[kind] key: ...".
agents::GenerativeModel discrete_model(const ExperimentConfig& config);

/// The concentrations that its learning begins with.
agents::Concentrations discrete_concentrations(const DiscreteAgentConfig& agent,
                                               const agents::GenerativeModel& model);

/// The agent, with its own stream of random numbers, or with what is different in a control,
/// "no_epistemic" or "frozen".  \throws ArgumentError for what does not fit the model.
agents::DiscreteAgent make_discrete_agent(const ExperimentConfig& config,
                                          const std::string& control = "");

/// The world of an experiment, with its own stream of random numbers.
agents::DiscreteWorld make_discrete_world(const ExperimentConfig& config);

/// Discrete agents' parts of agent_layout and make_player.
AgentLayout discrete_layout(const ExperimentConfig& config);
std::unique_ptr<AgentPlayer> make_discrete_player(const ExperimentConfig& config,
                                                  const std::string& control);

/// How much these outcomes are preferred, C as it is written (ln C up to a constant), summed over
/// modalities; in nats.
double log_preference(const agents::GenerativeModel& model, const agents::Observation& observation);

}  // namespace gaia
