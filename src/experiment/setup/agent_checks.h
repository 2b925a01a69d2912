// SPDX-License-Identifier: MIT
/// \file
/// What lies between the keys of an agent and its environment.
#pragma once

#include "loader.h"

namespace gaia {

/// Checks the keys of an agent and of its environment.
void load_agent(Loader& loader);

/// Checks that the world can be built, and the agent for it; sets how many steps there are.
void check_agent(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
