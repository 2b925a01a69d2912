// SPDX-License-Identifier: MIT
#include "auto_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "../../core/log.h"
#include "../../core/text.h"
#include "../setup/training_part.h"
#include "rate_schedule.h"

namespace gaia {
namespace {

/// Calls `body` with level, layer and rate of each layer that has an automatic one.
template <class Body>
void for_each_rate(HierarchyManager& hierarchy, const Body& body) {
  for (std::size_t n = 0; n < hierarchy.levels().size(); ++n) {
    HierarchicalLevel& level = hierarchy.level(hierarchy.levels()[n].id());
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      if (AutoRate* const rate = level.layer(m).automatic_rate()) body(n, m, *rate);
    }
  }
}

/// The step, of one epoch, at which the training part ends; 0 where nothing is trained.
std::int64_t training_end(const Experiment& experiment) {
  const std::vector<ReadoutConfig>& readouts = experiment.config.readouts;
  const bool any_trained = std::any_of(readouts.begin(), readouts.end(),
                                       [](const ReadoutConfig& one) { return one.learn; });
  return any_trained ? training_part(experiment).end_step() : 0;
}

/// Ticks up to that step at which a level learns, in all epochs.
std::int64_t training_ticks(const Experiment& experiment, std::int64_t end, std::size_t n) {
  if (end == 0) return 0;
  const HierarchyConfig& hierarchy = experiment.config.hierarchy();
  const LevelConfig& level = hierarchy.levels[n];
  const std::int64_t learnt = learning_end(hierarchy, experiment.all_steps());
  const auto ticks = [&](std::int64_t steps) {
    return experiment.trials.ticks_within(steps, level.temporal_resolution, level.options.phase);
  };
  const auto ticks_until = [&](std::int64_t step) {
    return step / experiment.steps * ticks(end) + ticks(std::min(step % experiment.steps, end));
  };
  if (!hierarchy.layerwise) return ticks_until(learnt);
  const auto number = static_cast<std::int64_t>(n);
  if (number > 0 && *hierarchy.layerwise > learnt / number) return 0;
  const std::int64_t first = number * *hierarchy.layerwise;
  return ticks_until(first + std::min(*hierarchy.layerwise, learnt - first)) - ticks_until(first);
}

/// What the run of hierarchy.from found for a layer; 0 where it found nothing.
double stored_rate(const Experiment& experiment, std::size_t level, std::size_t layer) {
  if (!experiment.from) return 0.0;
  const std::string path = fmt::format("/levels/{}/layers/{}", level, layer);
  const hdf5::Contents& contents = experiment.from->contents;
  const hdf5::Description* const group = contents.group(path);
  // A number that was written tells auto nothing; what does not learn shows it all the same.
  const bool was_found = contents.dataset(path + "/history/learning_rate") != nullptr;
  if (group == nullptr || (!was_found && experiment.config.hierarchy().learn)) return 0.0;
  const double rate = group->number("learning_rate").value_or(0.0);
  return std::isfinite(rate) && rate > 0.0 ? rate : 0.0;
}

}  // namespace

void begin_rates(HierarchyManager& hierarchy, const Experiment& experiment) {
  std::optional<std::int64_t> end;
  for_each_rate(hierarchy, [&](std::size_t n, std::size_t m, AutoRate& rate) {
    const HierarchyConfig& config = experiment.config.hierarchy();
    if (!end) end = training_end(experiment);
    rate.begin({.ticks = training_ticks(experiment, *end, n),
                // What there is to learn has no end where the data move.
                .falls = config.schedule.kind == RateSchedule::Kind::none &&
                         experiment.config.data.drift.empty(),
                .given = stored_rate(experiment, n, m)});
  });
}

std::vector<RateRows> rate_rows(HierarchyManager& hierarchy, const HierarchyBlock& block,
                                std::int64_t first) {
  std::vector<RateRows> all;
  for_each_rate(hierarchy, [&](std::size_t n, std::size_t m, AutoRate& rate) {
    const LevelBlock& level = block.levels[n];
    const std::int64_t before = rate.ticks() - level.ticks.shape(1);
    const std::int64_t first_tick = first + level.first_tick - block.first_step;
    RateRows rows{.level = n, .layer = m};
    for (const AutoRate::Change& change : rate.take_changes()) {
      rows.steps.push_back(first_tick + (change.tick - before) * level.temporal_resolution);
      rows.rates.push_back(change.rate);
    }
    if (!rows.steps.empty()) all.push_back(std::move(rows));
  });
  return all;
}

void tell_rates(HierarchyManager& hierarchy) {
  for_each_rate(hierarchy, [&](std::size_t n, std::size_t m, const AutoRate& rate) {
    if (rate.ticks() == 0) return;
    const std::string key = fmt::format("hierarchy.levels[{}].layers[{}].learning_rate", n, m);
    if (rate.rate() == 0.0) {
      log_warning(
          fmt::format("{}: auto found no rate: |x|^2 of the layer's input was 0 over {} "
                      "ticks, from which nothing is learnt; write a number",
                      key, grouped(rate.ticks())));
      return;
    }
    log_info(
        fmt::format("{}: auto has come to {:.3g}: the mean |x|^2 of the layer's input is {:.4g}",
                    key, rate.rate(), rate.mean_square()));
  });
}

}  // namespace gaia
