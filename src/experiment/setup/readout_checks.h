// SPDX-License-Identifier: MIT
/// \file
/// What lies between the keys of the readouts of an experiment, and between them and its data.
#pragma once

#include "../config/problems.h"
#include "../data/experiment.h"

namespace gaia {

/// Names that are there twice, levels that are not there, shares that are too large.
void check_readouts(const ExperimentConfig& config, const AddProblem& add);

/// Finds what their targets name in the series, and checks that there is something to train on and
/// to predict.  Warns of a target that the readout has only to copy.
void check_targets(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
