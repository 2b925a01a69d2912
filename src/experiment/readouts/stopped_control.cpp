// SPDX-License-Identifier: MIT
#include "stopped_control.h"

#include <algorithm>
#include <limits>

#include "../../io/checkpoint_file.h"
#include "carried_state.h"
#include "frozen_control.h"

namespace gaia {
namespace {

constexpr const char* kStopped = "stopped";

}  // namespace

std::string StoppedControl::why_left_out(const ControlSetup& setup,
                                         const ReadoutConfig& /*readout*/) {
  const std::int64_t end = first_training_end(setup);
  if (end == 0) return "the first readout has no training part at whose end learning could stop";
  const HierarchyConfig& hierarchy = setup.config.hierarchy();
  std::int64_t learnt = hierarchy.freeze_after.value_or(std::numeric_limits<std::int64_t>::max());
  if (hierarchy.layerwise) {
    learnt = std::min(learnt, *hierarchy.layerwise * std::ssize(hierarchy.levels));
  } else if (hierarchy.schedule.kind == RateSchedule::Kind::cosine_to) {
    learnt = std::min(learnt, hierarchy.schedule.steps);
  }
  const bool goes_on = learnt > (hierarchy.epochs - 1) * setup.trials.steps() + end;
  return goes_on ? "" : "the run itself learns in the training part alone";
}

double StoppedControl::numbers(const ControlSetup& setup, std::int64_t block_steps) {
  return FrozenControl::numbers(setup, block_steps);
}

StoppedControl::StoppedControl(const ControlSetup& setup)
    : template_(setup.hierarchy.clone()),
      features_(setup.features),
      dtype_(setup.config.dtype),
      end_(first_training_end(setup)) {}

void StoppedControl::begin_trial() {
  if (stopped_) forget_carried_state(*stopped_, features_, dtype_);
}

HierarchyBlock StoppedControl::process(const RunBlock& run) {
  if (stopped_) {
    return stopped_->process_block(run.x.expand_dims(0),
                                   {.learn = false, .signals = run.options.signals});
  }
  if (run.end() == end_) stopped_ = run.hierarchy.clone();
  return run.shown;
}

void StoppedControl::add_state(ArrayMap& arrays) const {
  put_numbers(arrays, kStopped, {stopped_ ? 1.0 : 0.0});
  if (stopped_) arrays.merge(copied_state(*stopped_));
}

void StoppedControl::set_state(const ArrayMap& arrays, std::int64_t step) {
  if (numbers_of(arrays, kStopped, 1).front() == 0.0) return;
  stopped_ = template_.clone();
  forget_carried_state(*stopped_, features_, dtype_);
  stopped_->set_state(arrays, step);
}

}  // namespace gaia
