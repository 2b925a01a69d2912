// SPDX-License-Identifier: MIT
#include "chosen_ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "../../array/device.h"
#include "../../core/random.h"
#include "../../io/columns.h"
#include "../data/sample_reader.h"
#include "../readouts/readout_ticks.h"

namespace gaia {
namespace {

constexpr std::int64_t kStepsAtOnce = 4096;

/// A tick of the training part whose class is known.
struct KnownTick {
  std::int64_t tick;
  std::int64_t step;
  std::int64_t code;
};

bool draws(const ReadoutConfig& readout) {
  return readout.learn && readout.task() == ReadoutTask::classes && !readout.kind->asks() &&
         readout.labels.of != ReadoutLabels::Count::all;
}

/// The ticks of a part of a trial.
void add_known(const ReadoutConfig& readout, const ReadoutTicks& ticks, const Trial& trial,
               const Stretch& part, SampleReader& samples, std::vector<KnownTick>& known) {
  const std::int64_t horizon = readout.target.horizon;
  const auto step_of = [&](std::int64_t tick) {
    return ticks.step_of(tick, samples.trials(), readout.target);
  };
  for (std::int64_t tick = part.begin; tick < part.end;) {
    const std::int64_t step = step_of(tick);
    const std::int64_t count = std::min(kStepsAtOnce, trial.end() - horizon - step);
    (void)samples.read(step + horizon, count);
    const std::vector<double> codes = samples.target(readout.target, 0, step + horizon, count);
    for (; tick < part.end && step_of(tick) < step + count; ++tick) {
      const double code = codes[static_cast<std::size_t>(step_of(tick) - step)];
      if (code >= 0.0) known.push_back({tick, step_of(tick), static_cast<std::int64_t>(code)});
    }
  }
}

/// All of them, in order.
std::vector<KnownTick> known_ticks(const Experiment& experiment, const ReadoutConfig& readout) {
  DataConfig data = experiment.config.data;
  data.normalize = Normalize::none;  // classes have no scale
  SampleReader samples(*experiment.series, data, experiment.trials, experiment.config.dtype, {},
                       false);
  const ReadoutTicks ticks = readout_ticks(readout, experiment.config, experiment.trials);
  std::vector<KnownTick> known;
  for (std::size_t i = 0; i < experiment.trials.all().size(); ++i) {
    const Stretch of_trial{ticks.begins()[i], ticks.begins()[i + 1]};
    if (of_trial.count() == 0) continue;
    for (const Stretch& part : intersection(ticks.training(), {of_trial})) {
      add_known(readout, ticks, experiment.trials.all()[i], part, samples, known);
    }
  }
  return known;
}

/// `count` of them, drawn without replacement.
std::vector<KnownTick> drawn(std::vector<KnownTick> from, std::int64_t count,
                             const RandomStream& random) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t chosen =
        i + random.integer(static_cast<std::uint64_t>(i), std::ssize(from) - i);
    std::swap(from[static_cast<std::size_t>(i)], from[static_cast<std::size_t>(chosen)]);
  }
  from.resize(static_cast<std::size_t>(count));
  return from;
}

/// "3 of class a, none of class b".
std::string lack_text(const std::vector<std::vector<KnownTick>>& by_class, std::int64_t count,
                      const std::vector<std::string>& classes) {
  constexpr int most = 5;
  std::string text;
  int told = 0;
  for (std::size_t c = 0; c < by_class.size(); ++c) {
    if (std::ssize(by_class[c]) >= count || ++told > most) continue;
    text += fmt::format("{}{} of class {}", text.empty() ? "" : ", ",
                        by_class[c].empty() ? "none" : std::to_string(by_class[c].size()),
                        in_quotes(classes[c]));
  }
  return told > most ? fmt::format("{} and too few of {} more", text, told - most) : text;
}

/// Row of the source that is the newest of the sample at a step.
std::int64_t source_row_at(const Experiment& experiment, std::int64_t step) {
  const Trial& trial = experiment.trials.at(step);
  return experiment.series->source_row(trial.newest_row(step, experiment.config.data.window));
}

/// Those whose row the data have not shown at one before.
std::vector<KnownTick> first_shown(const Experiment& experiment,
                                   const std::vector<KnownTick>& known) {
  std::unordered_set<std::int64_t> shown;
  std::vector<KnownTick> first;
  for (const KnownTick& one : known) {
    if (shown.insert(source_row_at(experiment, one.step)).second) first.push_back(one);
  }
  return first;
}

void set_labelled(ReadoutConfig& readout, std::vector<KnownTick> chosen) {
  std::sort(chosen.begin(), chosen.end(),
            [](const KnownTick& a, const KnownTick& b) { return a.tick < b.tick; });
  auto labelled = std::make_shared<LabelledTicks>();
  for (const KnownTick& one : chosen) {
    labelled->ticks.push_back(one.tick);
    labelled->steps.push_back(one.step);
  }
  readout.labelled = std::move(labelled);
}

std::int64_t neurons_of(const ReadoutConfig& readout, const HierarchyConfig& hierarchy) {
  std::int64_t neurons = 0;
  for (const std::int64_t level : readout.levels) {
    neurons += hierarchy.levels[static_cast<std::size_t>(level)].layers.back().size;
  }
  return neurons;
}

/// What neurons ask for: no row twice.
void choose_for_asking(const Experiment& experiment, ReadoutConfig& readout, const std::string& key,
                       const AddProblem& add) {
  const std::vector<KnownTick> known = known_ticks(experiment, readout);
  const std::vector<KnownTick> first = first_shown(experiment, known);
  const std::int64_t neurons = neurons_of(readout, experiment.config.hierarchy());
  if (std::ssize(first) < neurons) {
    return add(key + ".by",
               fmt::format("each of {} neurons asks for a label, but the training part "
                           "has {} samples whose class is known; by: majority names "
                           "neurons by as many as there are",
                           neurons, first.size()));
  }
  if (first.size() < known.size()) set_labelled(readout, first);
}

void draw_labels(const Experiment& experiment, ReadoutConfig& readout, const std::string& key,
                 const AddProblem& add) {
  const std::vector<std::string>& classes = experiment.series->classes();
  const std::int64_t count = readout.labels.count;
  const std::vector<KnownTick> known = first_shown(experiment, known_ticks(experiment, readout));
  const auto stream = [&](const std::string& of) {
    return RandomStream::named(static_cast<std::uint64_t>(experiment.config.seed),
                               fmt::format("readouts/{}/labels{}", readout.name, of));
  };
  if (readout.labels.of == ReadoutLabels::Count::in_all) {
    if (count <= std::ssize(known)) return set_labelled(readout, drawn(known, count, stream("")));
    return add(key + ".labels.count", fmt::format("expected at most the {} ticks of the training "
                                                  "part whose class is known, got {}",
                                                  known.size(), count));
  }
  std::vector<std::vector<KnownTick>> by_class(classes.size());
  for (const KnownTick& one : known) by_class[static_cast<std::size_t>(one.code)].push_back(one);
  if (const std::string lack = lack_text(by_class, count, classes); !lack.empty()) {
    return add(key + ".labels.per_class",
               fmt::format("expected {} ticks of each class in the training part, got {}; take "
                           "fewer, or `count`, which draws from all classes together",
                           count, lack));
  }
  std::vector<KnownTick> chosen;
  for (std::size_t c = 0; c < by_class.size(); ++c) {
    const auto of_class = drawn(std::move(by_class[c]), count, stream("/" + classes[c]));
    chosen.insert(chosen.end(), of_class.begin(), of_class.end());
  }
  set_labelled(readout, std::move(chosen));
}

/// The step of the series before which all is read before any readout is trained; none where none
/// is trained on a part.
std::optional<std::int64_t> first_trained(const Experiment& experiment) {
  std::optional<std::int64_t> first;
  for (const ReadoutConfig& readout : experiment.config.readouts) {
    if (!readout.learn || !readout.predicts() || readout.folds > 0) continue;
    const ReadoutTicks ticks = readout_ticks(readout, experiment.config, experiment.trials);
    const Stretches& steps = ticks.training_steps();
    if (steps.empty()) continue;
    first = std::min(first.value_or(steps.back().end), steps.back().end);
  }
  return first;
}

void leave_out_seen(const Experiment& experiment, ReadoutConfig& readout, const std::string& key,
                    const AddProblem& add) {
  const std::optional<std::int64_t> end = first_trained(experiment);
  if (!end) {
    return add(key + ".scored",
               "unseen is what was not shown before the first readout was trained, but none is "
               "trained on a part before it is scored; give one a split, or leave this out");
  }
  std::unordered_set<std::int64_t> shown;
  const std::int64_t rows =
      experiment.trials.at(*end - 1).newest_row(*end - 1, experiment.config.data.window) + 1;
  for (std::int64_t row = 0; row < rows; ++row) shown.insert(experiment.series->source_row(row));
  const ReadoutTicks ticks = readout_ticks(readout, experiment.config, experiment.trials);
  auto seen = std::make_shared<std::vector<std::int64_t>>();
  std::int64_t scored = 0;
  for (const Stretches* const part : {&ticks.validation(), &ticks.test()}) {
    for (const Stretch& stretch : *part) {
      for (std::int64_t tick = stretch.begin; tick < stretch.end; ++tick) {
        const bool is_seen = shown.contains(
            source_row_at(experiment, ticks.step_of(tick, experiment.trials, readout.target)));
        if (is_seen) {
          seen->push_back(tick);
        } else {
          ++scored;
        }
      }
    }
  }
  if (scored == 0) {
    return add(key + ".scored",
               "the data show every row of the test part before the first readout is trained, so "
               "that nothing unseen is left to score; a smaller share in data.order leaves some");
  }
  readout.seen = std::move(seen);
}

}  // namespace

void choose_ticks(Experiment& experiment, const AddProblem& add) {
  const GPUContext on_host(Device::cpu());
  for (std::size_t i = 0; i < experiment.config.readouts.size(); ++i) {
    ReadoutConfig& readout = experiment.config.readouts[i];
    const std::string key = fmt::format("readouts[{}]", i);
    if (!readout.learn) continue;
    if (draws(readout)) draw_labels(experiment, readout, key, add);
    if (readout.kind->asks()) choose_for_asking(experiment, readout, key, add);
    if (readout.scores_unseen) leave_out_seen(experiment, readout, key, add);
  }
}

}  // namespace gaia
