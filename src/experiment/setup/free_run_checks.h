// SPDX-License-Identifier: MIT
/// \file
/// What has to hold for a readout that goes on by itself (free_run).
#pragma once

#include <cstddef>
#include <string>

#include "../data/experiment.h"
#include "loader.h"

namespace gaia {

/// Finds the steps from which readout `index` goes on by itself, once its target is found, and adds
/// what keeps it from that.  Of a readout that was trained elsewhere, over data that it was not
/// written for, those that these data are too short for are left out with a warning.
void check_free_run(Experiment& experiment, std::size_t index, const std::string& key,
                    const AddProblem& add);

}  // namespace gaia
