// SPDX-License-Identifier: MIT
/// \file
/// What has to hold for a readout that fuses others (type: consensus).
#pragma once

#include <cstddef>
#include <string>

#include "../data/experiment.h"
#include "loader.h"

namespace gaia {

/// Finds the readouts that readout `index`, a consensus, fuses, once their targets are found, and
/// gives it what is theirs: target, levels, parts.  Adds what is wrong with it, and warns where its
/// S is measured by few errors.
void check_consensus(Experiment& experiment, std::size_t index, const std::string& key,
                     const AddProblem& add);

}  // namespace gaia
