// SPDX-License-Identifier: MIT
/// \file
/// From a hierarchy that a program has built back to the YAML of an experiment:
///
///     std::ofstream("experiment.yaml") << "experiment: mine\nseed: 7\ndata: {...}\n"
///                                      << get_config(hierarchy);
#pragma once

#include <string>

#include "../../hierarchy/manager.h"
#include "../config/config.h"

namespace gaia {

/// The hierarchy as an experiment has it, with every default, from the line "hierarchy:" on;
/// numbers are written so that reading them gives the same bits.  It says how the hierarchy was
/// made: with layers whose `random` is weights_stream(seed, level, layer), an experiment of that
/// seed begins with the same weights, bit for bit.  Weights that were learnt or set are not in it;
/// they are in results files, with which a run begins by `hierarchy.from`.  \throws ArgumentError,
/// with the level and the layer, for what no experiment can have: layers of a type of one's own,
/// rules that are programs, chunks of another length, several executors, levels that refuse to be
/// read.
std::string get_config(const HierarchyManager& hierarchy);

/// The same as the values of the keys.
HierarchyConfig config_of(const HierarchyManager& hierarchy);
/// Those of one level.
LevelConfig config_of(const HierarchicalLevel& level);

}  // namespace gaia
