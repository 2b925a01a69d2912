// SPDX-License-Identifier: MIT
/// \file
/// Observations that a model holds to be impossible, which say that it is not the model of the
/// world that shows them.
#pragma once

#include <string>

#include "beliefs.h"
#include "generative_model.h"

namespace gaia::agents {

/// Less than any rounding leaves of a probability of 0 (log_floor), and more than chance makes.
inline constexpr double kImpossible = 1e-14;

/// Why an observation is impossible: under every state, or under what was expected of this step;
/// empty where it is possible.  No `expected`: that is not looked at.
///
///     "outcome 2 of modality 0 has probability 0 under every state (likelihoods[0])"
std::string why_impossible(const GenerativeModel& model, const Observation& observation,
                           const Beliefs& expected = {});

/// What to do about it.
inline constexpr const char* kImpossibleWayOut =
    "a probability of 0 counts as 1e-16, so what is believed now follows from that number and not "
    "from the model; give what can happen a probability above 0, or correct the observation";

}  // namespace gaia::agents
