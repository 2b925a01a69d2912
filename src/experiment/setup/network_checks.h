// SPDX-License-Identifier: MIT
/// \file
/// What is checked of an experiment with a network before it runs.
#pragma once

#include "../config/problems.h"
#include "../data/experiment.h"

namespace gaia {

/// Makes `loss: auto` a name, and checks that target, split and layers fit the data.
void check_network(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
