// SPDX-License-Identifier: MIT
#include "free_run_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "../../core/names.h"
#include "../../core/text.h"
#include "../../io/columns.h"
#include "../../layers/hierarchy/temporal.h"
#include "../../learning/ridge.h"
#include "../readouts/readout_ticks.h"

namespace gaia {
namespace {

/// Numbers that are kept in memory of all starts of a readout at most.
constexpr std::int64_t kMostNumbers = std::int64_t{1} << 26;

/// Whether the target is all channels of the series, each once.
bool forecasts_all(const ReadoutTarget& target, std::int64_t channels) {
  if (target.of != ReadoutTarget::Of::channel) return false;
  std::vector<std::int64_t> all(static_cast<std::size_t>(channels));
  std::iota(all.begin(), all.end(), 0);
  return std::is_permutation(target.indices.begin(), target.indices.end(), all.begin(), all.end());
}

/// A signal that a layer reads beside samples also where it does not learn; empty where none does.
std::string signal_without_learning(const HierarchyConfig& hierarchy) {
  for (const LevelConfig& level : hierarchy.levels) {
    for (const LayerConfig& layer : level.layers) {
      for (const PlasticityRule* const one : layer.kind->rules()) {
        const auto* const rule = std::get_if<EquationRule>(one);
        if (rule == nullptr) continue;
        const std::vector<bool> is_read = rule->program().signals_read(false);
        for (std::size_t s = 0; s < is_read.size(); ++s) {
          const EquationSignalSource& signal = rule->options().signals[s];
          if (is_read[s] && !signal.is_handed_over) return signal.name;
        }
      }
    }
  }
  return {};
}

/// Another readout than `readout` that a layer reads; empty where there is none.
std::string other_feedback(const HierarchyConfig& hierarchy, const std::string& readout) {
  for (const LevelConfig& level : hierarchy.levels) {
    for (const LayerConfig& layer : level.layers) {
      const auto* const temporal = layer.kind.get_if<TemporalOptions>();
      if (temporal != nullptr && !temporal->feedback.empty() && temporal->feedback != readout) {
        return temporal->feedback;
      }
    }
  }
  return {};
}

/// What keeps a readout from reading what it has said, with the key that it is about; empty where
/// nothing does.
std::pair<std::string, std::string> why_not_free(const Experiment& experiment,
                                                 const ReadoutConfig& readout) {
  const ReadoutTarget& target = readout.target;
  const DataConfig& data = experiment.config.data;
  const std::int64_t channels = experiment.series->channels();
  if (!forecasts_all(target, channels)) {
    return {
        ".target",
        fmt::format("free_run reads what the readout says in place of a row, so that the target "
                    "has to be all {} channels that are read ({}), each once; leave the other "
                    "columns out of data.columns, or out of the target",
                    channels, printable(join(experiment.series->channel_names())))};
  }
  if (target.horizon != 1 || target.mean_over != 1 || target.per_trial) {
    return {".target",
            fmt::format("free_run needs the row that comes next: horizon 1, mean_over 1, "
                        "per: tick; got horizon {}, mean_over {}, per: {}",
                        target.horizon, target.mean_over, target.per_trial ? "trial" : "tick")};
  }
  if (readout.folds > 0) {
    return {".folds",
            "free_run needs a readout that is trained before it starts; write split in "
            "place of folds"};
  }
  if (tick_options(readout, experiment.config).spacing != 1) {
    return {".levels",
            "free_run needs a readout that says every row; read a level of "
            "temporal_resolution 1 too, as level 0 is"};
  }
  if (!data.drift.empty()) {
    return {".free_run",
            "what is read would be changed by data.drift, and what the readout says "
            "was not; leave one of them out"};
  }
  if (data.order.by != OrderConfig::By::none) {
    return {".free_run",
            "the row that comes next is no forecast where data.order changes the order of rows; "
            "leave one of them out"};
  }
  if (const std::string signal = signal_without_learning(experiment.config.hierarchy());
      !signal.empty()) {
    return {".free_run", fmt::format("a rule reads the signal {} beside the rows, which nobody "
                                     "forecasts; leave one of them out",
                                     in_quotes(signal))};
  }
  if (const std::string other = other_feedback(experiment.config.hierarchy(), readout.name);
      !other.empty()) {
    return {".free_run", fmt::format("a layer reads what readout {} says (feedback), which says "
                                     "nothing meanwhile; let the layer read this one",
                                     in_quotes(other))};
  }
  const FreeRunConfig& run = readout.free_run;
  if (run.scored_at() > run.steps) {
    return {".free_run.at",
            fmt::format("expected 1 to steps ({}), got {}", run.steps, run.scored_at())};
  }
  const std::int64_t starts = run.repeats ? run.count : 1;
  if (run.steps * starts > kMostNumbers / channels) {
    return {".free_run.steps",
            fmt::format("{} steps from {} starts of {} channels are more than the {} numbers that "
                        "are kept; take fewer",
                        grouped(run.steps), grouped(starts), channels, grouped(kMostNumbers))};
  }
  return {};
}

/// The first step at which it may start: all that it was trained on lies before.
std::int64_t first_start(const Experiment& experiment, const ReadoutConfig& readout) {
  if (!readout.learn) return 1;
  const ReadoutTicks ticks(readout, experiment.trials, tick_options(readout, experiment.config));
  if (ticks.training_end() == 0) return 1;
  const std::int64_t last =
      ticks.step_of(ticks.training_end() - 1, experiment.trials, readout.target);
  return last + readout.target.horizon + 1;
}

/// Why a start does not do, to follow its step; empty where it does.
std::string why_not_from(const Experiment& experiment, std::int64_t start, std::int64_t steps,
                         std::int64_t first) {
  const Trials& trials = experiment.trials;
  if (start < first) {
    return fmt::format("comes before step {}, where all is over that the readout is trained on",
                       first);
  }
  if (start + steps > trials.steps()) {
    return fmt::format("would need {} steps up to step {}, of {} that there are", steps,
                       start + steps, trials.steps());
  }
  const Trial& trial = trials.at(start - 1);
  if (start + steps > trial.end()) {
    return fmt::format("would leave the trial of step {}, which ends before step {}", start - 1,
                       trial.end());
  }
  return {};
}

}  // namespace

void check_free_run(Experiment& experiment, std::size_t index, const std::string& key,
                    const AddProblem& add) {
  ReadoutConfig& readout = experiment.config.readouts[index];
  FreeRunConfig& run = readout.free_run;
  if (!run.is_there || experiment.steps == 0) return;
  if (const auto [where, why] = why_not_free(experiment, readout); !why.empty()) {
    return add(key + where, why);
  }
  const auto* const ridge = readout.kind.get_if<RidgeOptions>();
  if (readout.learn && ridge != nullptr && ridge->ridge == RidgeOptions().ridge) {
    experiment.warnings.push_back(fmt::format(
        "{}.ridge: {}, the default, may limit forecasts of one step more than noise does, and a "
        "free "
        "run feeds their errors back; where the data have little noise try 1e-13, in float64",
        key, ridge->ridge));
  }
  const std::int64_t first = first_start(experiment, readout);
  std::string left_out;
  for (const std::int64_t start : run.asked_starts()) {
    const std::string why = why_not_from(experiment, start, run.steps, first);
    if (why.empty()) {
      run.starts.push_back(start);
      continue;
    }
    if (readout.learn) {
      return add(
          key + (start == run.from ? ".free_run.from" : ".free_run.repeat"),
          fmt::format("a start at step {} {}; take another, fewer or shorter ones", start, why));
    }
    if (left_out.empty()) left_out = fmt::format("the start at step {} {}", start, why);
  }
  if (left_out.empty()) return;
  experiment.warnings.push_back(
      fmt::format("{}.free_run: {}{}", key, left_out,
                  run.starts.empty() ? "; none is left, and the readout does not go on by itself"
                                     : fmt::format("; {} of {} starts are left", run.starts.size(),
                                                   run.asked_starts().size())));
  if (run.starts.empty()) run.is_there = false;
}

}  // namespace gaia
