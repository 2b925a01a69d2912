// SPDX-License-Identifier: MIT
#include "trials.h"

#include <algorithm>
#include <unordered_map>

#include "../../hierarchy/temporal_pool.h"

namespace gaia {

Trials::Trials(std::span<const std::int64_t> starts, std::int64_t rows, std::int64_t window,
               std::optional<std::int64_t> steps) {
  std::int64_t next_step = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t end = i + 1 < starts.size() ? starts[i + 1] : rows;
    std::int64_t samples = end - starts[i] - window + 1;
    if (samples < 1) {
      ++left_out_;
      continue;
    }
    if (steps) samples = std::min(samples, *steps - next_step);
    if (samples < 1) break;
    all_.push_back({starts[i], samples + window - 1, next_step, samples});
    next_step += samples;
  }
}

Trials Trials::one(std::int64_t steps, std::int64_t window) {
  const std::int64_t start = 0;
  return Trials({&start, 1}, steps + window - 1, window);
}

const Trial& Trials::longest() const {
  return *std::max_element(all_.begin(), all_.end(),
                           [](const Trial& a, const Trial& b) { return a.steps < b.steps; });
}

std::size_t Trials::index_at(std::int64_t step) const {
  const auto after =
      std::upper_bound(all_.begin(), all_.end(), step,
                       [](std::int64_t s, const Trial& trial) { return s < trial.first_step; });
  return static_cast<std::size_t>(after - all_.begin()) - 1;
}

void Trials::set_groups(std::span<const std::int64_t> starts, std::span<const std::int64_t> ids,
                        std::int64_t window) {
  groups_.clear();
  std::unordered_map<std::int64_t, std::int64_t> numbers;
  for (const Trial& trial : all_) {
    const std::int64_t first_row = trial.newest_row(trial.first_step, window);
    const std::int64_t end_row = first_row + trial.steps;
    auto next = std::upper_bound(starts.begin(), starts.end(), first_row);
    for (std::int64_t row = first_row; row < end_row;) {
      const auto run = static_cast<std::size_t>(next - starts.begin()) - 1;
      const std::int64_t end = next == starts.end() ? end_row : std::min(end_row, *next++);
      const auto number = numbers.emplace(ids[run], std::ssize(numbers)).first->second;
      const std::int64_t first_step = trial.first_step + (row - first_row);
      groups_.push_back({{first_step, first_step + (end - row)}, number});
      row = end;
    }
  }
  group_count_ = std::ssize(numbers);
}

std::int64_t Trials::group_at(std::int64_t step) const {
  const auto after =
      std::upper_bound(groups_.begin(), groups_.end(), step,
                       [](std::int64_t s, const GroupRun& run) { return s < run.steps.begin; });
  return (after - 1)->group;
}

std::int64_t Trials::ticks_within(std::int64_t steps, std::int64_t spacing,
                                  std::int64_t phase) const {
  std::int64_t ticks = 0;
  for (const Trial& trial : all_) {
    if (trial.first_step >= steps) break;
    ticks += count_ticks(0, std::min(trial.steps, steps - trial.first_step), spacing, phase);
  }
  return ticks;
}

}  // namespace gaia
