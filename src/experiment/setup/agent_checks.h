// SPDX-License-Identifier: MIT
/// \file
/// What lies between the keys of an agent and its environment.
#pragma once

#include "../config/problems.h"
#include "../data/experiment.h"
#include "hierarchy_checks.h"

namespace gaia {

/// Checks that the world can be made, and the agent for it; sets how many steps there are.
void check_agent(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
