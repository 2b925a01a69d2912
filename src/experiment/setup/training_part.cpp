// SPDX-License-Identifier: MIT
#include "training_part.h"

#include <algorithm>
#include <utility>

#include "../data/experiment.h"
#include "../readouts/readout_ticks.h"
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

/// Whether it says which steps may be learnt from.
bool restricts(const Experiment& experiment, const ReadoutConfig& readout) {
  const auto levels = std::ssize(experiment.config.hierarchy().levels);
  const bool is_right = (!readout.levels.empty() || !readout.predicts()) &&
                        std::all_of(readout.levels.begin(), readout.levels.end(),
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
  if (experiment.trials.count() == 0) {
    return TrainingPart::whole(experiment.trials, experiment.config.data.window);
  }
  return experiment.config.kind->training_part(experiment);
}

TrainingPart network_training_part(const Experiment& experiment) {
  return TrainingPart::of(experiment.trials, experiment.config.data.window,
                          network_ticks(experiment).training_steps());
}

TrainingPart readout_training_part(const Experiment& experiment) {
  const ExperimentConfig& config = experiment.config;
  const std::int64_t window = config.data.window;
  TrainingPart part = TrainingPart::whole(experiment.trials, window);
  const bool any_predicts = std::any_of(
      config.readouts.begin(), config.readouts.end(), [&](const ReadoutConfig& readout) {
        return readout.predicts() && restricts(experiment, readout);
      });
  for (const ReadoutConfig& readout : config.readouts) {
    if (!restricts(experiment, readout)) continue;
    // What tells of changes learns nothing: what is not watched is a part of its own only where
    // there is no other.
    if (!readout.predicts() && (any_predicts || readout.kind->fuses())) continue;
    const ReadoutTicks ticks = readout_ticks(readout, config, experiment.trials);
    part = TrainingPart::of(experiment.trials, window,
                            intersection(part.steps(), ticks.training_steps()));
  }
  return part;
}

}  // namespace gaia
