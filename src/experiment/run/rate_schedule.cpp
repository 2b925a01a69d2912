// SPDX-License-Identifier: MIT
#include "rate_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gaia {
namespace {

constexpr std::int64_t kStretches = 64;

}  // namespace

std::int64_t rate_stretch(const RateSchedule& schedule) {
  if (schedule.kind == RateSchedule::Kind::none) return 0;
  // The rate changes once: blocks are cut there.
  if (schedule.kind == RateSchedule::Kind::tenth_after) return schedule.steps;
  return (schedule.steps - 1) / kStretches + 1;
}

double rate_factor(const RateSchedule& schedule, std::int64_t step) {
  if (schedule.kind == RateSchedule::Kind::none) return 1.0;
  if (schedule.kind == RateSchedule::Kind::tenth_after) return step < schedule.steps ? 1.0 : 0.1;
  const bool has_ended = schedule.kind == RateSchedule::Kind::cosine_to && step >= schedule.steps;
  if (has_ended) return 0.0;
  const std::int64_t stretch = rate_stretch(schedule);
  const double share =
      static_cast<double>(step / stretch * stretch) / static_cast<double>(schedule.steps);
  if (schedule.kind == RateSchedule::Kind::half_life) return std::exp2(-share);
  return (1.0 + std::cos(std::numbers::pi * share)) / 2.0;
}

double rate_of_step(const HierarchyConfig& hierarchy, std::int64_t step) {
  return rate_factor(hierarchy.schedule, hierarchy.layerwise ? step % *hierarchy.layerwise : step);
}

bool level_learns(const HierarchyConfig& hierarchy, std::size_t level, std::int64_t step) {
  return hierarchy.levels[level].options.learn &&
         (!hierarchy.layerwise || step / *hierarchy.layerwise == static_cast<std::int64_t>(level));
}

void learn_as_at(HierarchyManager& manager, const HierarchyConfig& hierarchy, std::int64_t step) {
  manager.scale_learning_rate(rate_of_step(hierarchy, step));
  if (!hierarchy.layerwise) return;
  for (std::size_t n = 0; n < manager.levels().size(); ++n) {
    manager.level(manager.levels()[n].id()).set_learns(level_learns(hierarchy, n, step));
  }
}

std::int64_t learning_end(const HierarchyConfig& hierarchy, std::int64_t all_steps) {
  if (!hierarchy.learn) return 0;
  std::int64_t end = std::min(all_steps, hierarchy.freeze_after.value_or(all_steps));
  if (hierarchy.layerwise) {
    // Windows may reach beyond all numbers.
    const std::int64_t levels = std::ssize(hierarchy.levels);
    if (*hierarchy.layerwise <= end / levels) end = *hierarchy.layerwise * levels;
  } else if (hierarchy.schedule.kind == RateSchedule::Kind::cosine_to) {
    end = std::min(end, hierarchy.schedule.steps);
  }
  return end;
}

std::int64_t learning_cut(const HierarchyConfig& hierarchy, std::int64_t step, std::int64_t end) {
  std::int64_t learns_until = learning_end(hierarchy, end);
  if (step >= learns_until) return end;
  const std::int64_t window = hierarchy.layerwise.value_or(learns_until);
  const std::int64_t in_window = step % window;
  learns_until = std::min(learns_until, step + (window - in_window));
  const std::int64_t stretch = rate_stretch(hierarchy.schedule);
  // The rest of the stretch is compared, not its end, which may be beyond all numbers.
  return stretch == 0 ? learns_until
                      : std::min(learns_until, step + (stretch - in_window % stretch));
}

}  // namespace gaia
