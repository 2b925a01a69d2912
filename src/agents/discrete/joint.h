// SPDX-License-Identifier: MIT
/// \file
/// What the files of agents/discrete share: joint beliefs, logarithms of likelihoods, softmax.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "beliefs.h"
#include "generative_model.h"

namespace gaia::agents {

/// Product of the beliefs about these factors, for each of their joint states.
std::vector<double> joint_beliefs(const std::vector<std::int64_t>& factors, const Beliefs& beliefs);

/// ln(P(o | joint state) + log_floor) of a group.
std::vector<double> log_likelihood(const GenerativeModel& model, const ModalityGroup& group,
                                   const Observation& observation);

/// Mean of `values`, one for each joint state, over the beliefs about all factors of the group but
/// the one in place `kept`: a number for each of its states.
std::vector<double> mean_over_others(const ModalityGroup& group, const std::vector<double>& values,
                                     const Beliefs& beliefs, std::size_t kept);

/// exp(x - max) divided by the sum; -inf gives 0.
std::vector<double> softmax(std::vector<double> values);

void check_beliefs(const GenerativeModel& model, const Beliefs& beliefs, const std::string& what);

}  // namespace gaia::agents
