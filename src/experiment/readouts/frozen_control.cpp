// SPDX-License-Identifier: MIT
#include "frozen_control.h"

#include "carried_state.h"

namespace gaia {

double FrozenControl::numbers(const ControlSetup& setup, std::int64_t block_steps) {
  const auto steps = static_cast<double>(block_steps);
  double numbers = steps * static_cast<double>(setup.features);
  for (const HierarchicalLevel& level : setup.hierarchy.levels()) {
    const double ticks = steps / static_cast<double>(level.temporal_resolution());
    numbers += ticks * static_cast<double>(level.input_size());
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      numbers += ticks * static_cast<double>(level.layer(m).output_size());
      for (const NamedArray& array : level.layer(m).arrays()) {
        numbers += static_cast<double>(array.value.size());
      }
    }
  }
  return numbers;
}

FrozenControl::FrozenControl(const ControlSetup& setup)
    : hierarchy_(setup.hierarchy.clone()), features_(setup.features), dtype_(setup.config.dtype) {
  begin_trial();
}

void FrozenControl::begin_trial() { forget_carried_state(hierarchy_, features_, dtype_); }

bool FrozenControl::reads_every_epoch() const {
  for (const HierarchicalLevel& level : hierarchy_.levels()) {
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      for (const NamedArray& array : level.layer(m).arrays()) {
        if (array.role == NamedArray::Role::statistic) return true;
      }
    }
  }
  return false;
}

HierarchyBlock FrozenControl::process(const RunBlock& run) {
  for (const HierarchicalLevel& level : run.hierarchy.levels()) {
    HierarchicalLevel& own = hierarchy_.level(level.id());
    for (std::size_t m = 0; m < own.layer_count(); ++m) {
      own.layer(m).follow_input(run.options.learn && level.learns());
    }
  }
  return hierarchy_.process_block(run.x.expand_dims(0),
                                  {.learn = false, .signals = run.options.signals});
}

void FrozenControl::add_state(ArrayMap& arrays) const { add_carried_state(hierarchy_, "", arrays); }

void FrozenControl::set_state(const ArrayMap& arrays, std::int64_t step) {
  set_carried_state(hierarchy_, "", arrays, step);
}

}  // namespace gaia
