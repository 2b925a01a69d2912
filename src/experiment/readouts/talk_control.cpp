// SPDX-License-Identifier: MIT
#include "talk_control.h"

#include <algorithm>

#include "../../core/message.h"
#include "carried_state.h"
#include "frozen_control.h"

namespace gaia {

double TalkControl::numbers(const ControlSetup& setup, std::int64_t block_steps) {
  return FrozenControl::numbers(setup, block_steps);
}

TalkControl::TalkControl(const ControlSetup& setup, TopDownMode mode)
    : hierarchy_(setup.hierarchy.clone()), features_(setup.features), dtype_(setup.config.dtype) {
  hierarchy_.set_top_down(mode);
  forget_carried_state(hierarchy_, features_, dtype_);
}

void TalkControl::begin_trial() { forget_carried_state(hierarchy_, features_, dtype_); }

HierarchyBlock TalkControl::process(const RunBlock& run) {
  hierarchy_.scale_learning_rate(run.rate);
  for (const HierarchicalLevel& level : run.hierarchy.levels()) {
    hierarchy_.level(level.id()).set_learns(level.learns());
  }
  try {
    return hierarchy_.process_block(
        run.x.expand_dims(0),
        {.learn = run.options.learn, .undo_failures = false, .signals = run.options.signals});
  } catch (const DivergedError& error) {
    fail<DataError>(
        "controls: {} diverges where the run does not ({}); try smaller rates, or leave it out, as "
        "controls: [frozen, same_past]",
        name(), error.what());
  }
}

void TalkControl::add_state(ArrayMap& arrays) const { arrays.merge(copied_state(hierarchy_)); }

void TalkControl::set_state(const ArrayMap& arrays, std::int64_t step) {
  begin_trial();
  hierarchy_.set_state(arrays, step);
}

bool any_level_hears(const HierarchyManager& hierarchy) {
  const std::vector<HierarchicalLevel>& levels = hierarchy.levels();
  return std::any_of(levels.begin(), levels.end(),
                     [](const HierarchicalLevel& level) { return level.hears(); });
}

}  // namespace gaia
