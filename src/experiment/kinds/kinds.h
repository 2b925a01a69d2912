// SPDX-License-Identifier: MIT
/// \file
/// The kinds of experiments that gaia has.
#pragma once

#include "../config/experiment_kind.h"

namespace gaia {

Kind<ExperimentKind> hierarchy_experiment();
Kind<ExperimentKind> network_experiment();
/// Discrete and continuous agents, which differ in how they are played (players/agent_player.h).
Kind<ExperimentKind> agent_experiment();

}  // namespace gaia
