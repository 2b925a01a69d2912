// SPDX-License-Identifier: MIT
/// \file
/// What has to hold for layers that read what a readout says (TemporalOptions::feedback).
#pragma once

#include "../data/experiment.h"
#include "loader.h"

namespace gaia {

/// Finds these readouts, once targets are found, and tells layers how many numbers they say.
void check_feedback(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
