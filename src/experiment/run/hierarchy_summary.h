// SPDX-License-Identifier: MIT
/// \file
/// What a person, or a program, is told of a hierarchy before it runs.
#pragma once

#include <string>

#include "estimate.h"

namespace gaia {

/// "hebbian oja 64 @1 | reactive relu 32 @10": layers and resolution of each level.
std::string hierarchy_line(const HierarchyConfig& hierarchy);

/// Without a trial nothing is tried, and no device chosen.
Needs hierarchy_needs(const Experiment& experiment, bool trial);

CheckedExperiment checked_hierarchy(Experiment& experiment, bool trial);

}  // namespace gaia
