// SPDX-License-Identifier: MIT
/// \file
/// What is checked of an experiment with a network before it runs.
#pragma once

#include "loader.h"

namespace gaia {

/// Opens the data of a network, and checks it.
void load_network(Loader& loader);

/// Makes `loss: auto` a name, and checks that target, split and layers fit the data.
void check_network(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
