// SPDX-License-Identifier: MIT
/// \file
/// `learning_rate: auto` in a run: over which ticks it falls, and what it was.
#pragma once

#include <cstdint>
#include <vector>

#include "../../hierarchy/manager.h"
#include "../data/experiment.h"
#include "../results/results_file.h"

namespace gaia {

/// Has the automatic rates of a hierarchy, as a run begins with it, fall over the ticks of the
/// training part at which their level learns, in all epochs; with the ticks alone where nothing is
/// trained or that part is empty; and not at all where a schedule makes them fall.  A layer that an
/// earlier run (hierarchy.from) found a rate for keeps that one.
void begin_rates(HierarchyManager& hierarchy, const Experiment& experiment);

/// How the automatic rates have changed in a block that the hierarchy has just read, the first of
/// whose steps is step `first` of all epochs.
std::vector<RateRows> rate_rows(HierarchyManager& hierarchy, const HierarchyBlock& block,
                                std::int64_t first);

/// Logs what the automatic rates have come to, and warns of those that are 0 since nothing was
/// read.
void tell_rates(HierarchyManager& hierarchy);

}  // namespace gaia
