// SPDX-License-Identifier: MIT
/// \file
/// How the learning rates of a hierarchy fall while it runs.
#pragma once

#include <cstdint>

#include "../../hierarchy/manager.h"
#include "../config/config.h"

namespace gaia {

/// The factor on all learning rates at step `step`, counted through all epochs.  It is constant
/// over stretches of rate_stretch steps, over which it is what the schedule has at their first
/// step: so results depend on neither blocks nor threads nor where a run was cut.
double rate_factor(const RateSchedule& schedule, std::int64_t step);

/// The same of a hierarchy, whose schedule begins anew with each level where these learn one after
/// the other.
double rate_of_step(const HierarchyConfig& hierarchy, std::int64_t step);

/// Whether level `level` is one that learns at that step, as far as `layerwise` and its own key
/// say.
bool level_learns(const HierarchyConfig& hierarchy, std::size_t level, std::int64_t step);

/// The hierarchy learns from here on as it does at step `step`: its rates, and which levels do.
void learn_as_at(HierarchyManager& manager, const HierarchyConfig& hierarchy, std::int64_t step);

/// A 64th of the schedule's steps, rounded up; 0 without a schedule.
std::int64_t rate_stretch(const RateSchedule& schedule);

/// The step from which on nothing learns any more, of so many of all epochs: 0 where nothing learns
/// at all, freeze_after, where the schedule ends or the last level has learnt, `all_steps` at most.
std::int64_t learning_end(const HierarchyConfig& hierarchy, std::int64_t all_steps);

/// Step at which a block that begins at `step`, and ends at `end` at most, is cut for the learning:
/// the end of a stretch, or where the next level begins, or where nothing learns any more.
std::int64_t learning_cut(const HierarchyConfig& hierarchy, std::int64_t step, std::int64_t end);

}  // namespace gaia
