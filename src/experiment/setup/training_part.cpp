// SPDX-License-Identifier: MIT
#include "training_part.h"

#include <algorithm>
#include <utility>

#include "load.h"
#include "readout_ticks.h"
#include "training_data.h"

namespace gaia {
namespace {

Stretches rows_of(const Trials& trials, std::int64_t window, const Stretches& steps) {
  Stretches rows;
  for (const Trial& trial : trials.all()) {
    for (const Stretch& part : intersection(steps, {{trial.first_step, trial.end()}})) {
      append(rows, {trial.newest_row(part.begin, 1), trial.newest_row(part.end - 1, window) + 1});
    }
  }
  return rows;
}

/// Where the samples end that a network is trained on.
std::int64_t end_of_network(const Experiment& experiment) {
  std::int64_t left = sample_counts(experiment).train;
  const std::int64_t horizon = experiment.config.network->target.horizon;
  for (const Trial& trial : experiment.trials.all()) {
    if (left == 0) return trial.first_step;
    const std::int64_t known = std::max<std::int64_t>(0, trial.steps - horizon);
    if (left < known) return trial.first_step + left;
    left -= known;
  }
  return experiment.steps;
}

/// Whether it says which steps may be learnt from.
bool restricts(const Experiment& experiment, const ReadoutConfig& readout) {
  const auto levels = std::ssize(experiment.config.hierarchy.levels);
  const bool is_right =
      !readout.levels.empty() && std::all_of(readout.levels.begin(), readout.levels.end(),
                                             [&](std::int64_t level) { return level < levels; });
  return is_right && readout.learn && readout.folds == 0;
}

}  // namespace

TrainingPart::TrainingPart(bool is_whole, const Trials& trials, std::int64_t window,
                           Stretches steps)
    : is_whole_(is_whole), steps_(std::move(steps)), rows_(rows_of(trials, window, steps_)) {}

TrainingPart TrainingPart::whole(const Trials& trials, std::int64_t window) {
  Stretches all;
  append(all, {0, trials.steps()});
  return {true, trials, window, std::move(all)};
}

TrainingPart TrainingPart::of(const Trials& trials, std::int64_t window, Stretches steps) {
  return {false, trials, window, std::move(steps)};
}

TrainingPart training_part(const Experiment& experiment) {
  const ExperimentConfig& config = experiment.config;
  const std::int64_t window = config.data.window;
  TrainingPart part = TrainingPart::whole(experiment.trials, window);
  if (experiment.trials.count() == 0) return part;
  if (config.network) {
    Stretches steps;
    append(steps, {0, end_of_network(experiment)});
    return TrainingPart::of(experiment.trials, window, std::move(steps));
  }
  for (const ReadoutConfig& readout : config.readouts) {
    if (!restricts(experiment, readout)) continue;
    const std::int64_t spacing =
        readout_spacing(readout, config.hierarchy.levels, config.output.representations);
    part = TrainingPart::of(
        experiment.trials, window,
        intersection(
            part.steps(),
            training_steps(readout_ticks(readout, experiment.trials, spacing), experiment.trials)));
  }
  return part;
}

}  // namespace gaia
