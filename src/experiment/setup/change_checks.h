// SPDX-License-Identifier: MIT
/// \file
/// Checks of readouts that tell of changes.
#pragma once

#include "../config/problems.h"
#include "../data/experiment.h"

namespace gaia {

/// Finds the levels or the readout that readout `index`, at `key`, watches.
void check_change(Experiment& experiment, std::size_t index, const std::string& key,
                  const AddProblem& add);

}  // namespace gaia
