// SPDX-License-Identifier: MIT
#include "readout_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "../../core/error.h"
#include "../../core/names.h"
#include "../../core/text.h"
#include "../../io/columns.h"
#include "../../learning/online_readout.h"
#include "../../learning/statistic_readout.h"
#include "../readouts/readout_ticks.h"
#include "build.h"
#include "change_checks.h"
#include "consensus_checks.h"
#include "free_run_checks.h"

namespace gaia {
namespace {

/// How many ticks are purged and what would leave more of them, as the end of a message; empty
/// where none are.
std::string purge_way_out(const ReadoutConfig& readout, const ReadoutTicks& ticks,
                          const TickOptions& options) {
  if (ticks.purged() == 0) return {};
  std::string ways = readout.is_fold_for_group ? "a number of folds"
                     : readout.folds > 0       ? "fewer folds"
                                               : "other shares in split";
  if (readout.target.horizon > 0) ways += ", a smaller horizon";
  if (readout.target.mean_over > 1) ways += ", a smaller mean_over";
  if (readout.embargo > 0) ways += ", a smaller embargo";
  return fmt::format(
      "; {} ticks are left out (purge) since they lie within {} steps of what is scored, which "
      "their rows or targets reach; {} or more data leave more",
      ticks.purged(), options.purge, ways);
}

/// What groups (data.groups) keep a readout from, as a message; empty where they keep it from
/// nothing.
std::string why_no_groups(const Experiment& experiment, const ReadoutConfig& readout,
                          const ReadoutTicks& ticks) {
  const Trials& trials = experiment.trials;
  if (trials.groups().empty()) return {};
  if (readout.target.per_trial) {
    for (const Trials::GroupRun& run : trials.groups()) {
      if (trials.group_at(trials.at(run.steps.begin).first_step) == run.group) continue;
      return fmt::format(
          "one prediction a trial (target.per: trial) needs trials of one group each, but within "
          "the trial of row {} another group begins (data.groups)",
          trials.at(run.steps.begin).newest_row(run.steps.begin, experiment.config.data.window));
    }
  }
  const bool in_order = readout.kind->is_online() || readout.task() == ReadoutTask::anomaly;
  if (!in_order || !ticks.is_mixed()) return {};
  return fmt::format(
      "type {} learns in the order of the rows, but a group that is trained on comes back behind "
      "one that is scored (data.groups); bring the rows of each group together, or take another "
      "type",
      readout.kind->name());
}

/// Names of the groups from number `first` on.
std::vector<std::string> group_names(const Experiment& experiment, std::int64_t first) {
  const Trials& trials = experiment.trials;
  const RowRuns& groups = experiment.series->groups();
  std::vector<std::string> names(static_cast<std::size_t>(trials.group_count() - first));
  for (const Trials::GroupRun& run : trials.groups()) {
    if (run.group < first) continue;
    const std::int64_t step = run.steps.begin;
    const std::int64_t row = trials.at(step).newest_row(step, experiment.config.data.window);
    const auto next = std::upper_bound(groups.starts().begin(), groups.starts().end(), row);
    const auto id = groups.ids()[static_cast<std::size_t>(next - groups.starts().begin()) - 1];
    names[static_cast<std::size_t>(run.group - first)] =
        groups.names()[static_cast<std::size_t>(id)];
  }
  return names;
}

/// Number of folds where each group is one, which data tell; false where that is wrong.
bool settle_folds(const Experiment& experiment, ReadoutConfig& readout, const std::string& key,
                  const AddProblem& add) {
  constexpr std::int64_t most = 1000;
  if (!readout.is_fold_for_group || !readout.learn) return true;
  if (experiment.trials.groups().empty()) {
    add(key + ".folds",
        "groups: nothing says which rows belong together; name them by data.groups, or write a "
        "number of folds");
    return false;
  }
  const ReadoutTicks::Units units =
      ReadoutTicks(readout, experiment.trials, {.spacing = 1}).units();
  const std::int64_t groups = units.all - units.skipped;
  if (groups >= 2 && groups <= most) {
    readout.folds = groups;
    readout.group_names = group_names(experiment, units.skipped);
    return true;
  }
  add(key + ".folds", fmt::format("groups: expected 2 to {} groups that are not skipped, got {}; "
                                  "write a number of folds",
                                  most, groups));
  return false;
}

/// A readout needs something to train on and something to predict.
/// Whether a tick that a readout of classes is trained on has a label.  Reads no further than the
/// first that has one.
bool has_training_label(const Experiment& experiment, const ReadoutConfig& readout,
                        const ReadoutTicks& ticks) {
  Series& series = *experiment.series;
  const std::vector<SideColumn> beside = series.side_columns();
  const auto label = std::find_if(beside.begin(), beside.end(), [](const SideColumn& column) {
    return column.role == SideColumn::Role::label;
  });
  if (label == beside.end()) return true;  // which is reported elsewhere
  const auto column = static_cast<std::size_t>(label - beside.begin());
  std::int64_t at_once = 1;
  std::int64_t first = 0;
  std::vector<std::int64_t> codes;  // classes of the rows from `first` on
  for (const Stretch& stretch : ticks.training()) {
    for (std::int64_t tick = stretch.begin; tick < stretch.end; ++tick) {
      const std::int64_t step = ticks.step_of(tick, experiment.trials, readout.target);
      const std::int64_t row = experiment.trials.at(step).newest_row(step + readout.target.horizon,
                                                                     experiment.config.data.window);
      if (row < first || row >= first + std::ssize(codes)) {
        first = row;
        const std::int64_t count = std::min(at_once, series.rows() - first);
        std::vector<double> unused(static_cast<std::size_t>(count * series.channels()));
        SideValues values;
        series.read_with_side(first, count, unused, {&column, 1}, {&values, 1});
        codes = std::get<std::vector<std::int64_t>>(values);
        at_once = std::min<std::int64_t>(2 * at_once, 4096);
      }
      if (codes[static_cast<std::size_t>(row - first)] >= 0) return true;
    }
  }
  return false;
}

void check_ticks(const Experiment& experiment, const ReadoutConfig& readout, const std::string& key,
                 const AddProblem& add) {
  const std::vector<LevelConfig>& levels = experiment.config.hierarchy().levels;
  for (const std::int64_t index : readout.levels) {
    if (index >= std::ssize(levels)) return;
  }
  if (readout.levels.empty() || !readout.learn) return;
  const TickOptions options = tick_options(readout, experiment.config);
  const ReadoutTicks ticks(readout, experiment.trials, options);
  if (const std::string why = why_no_groups(experiment, readout, ticks); !why.empty()) {
    return add(key, why);
  }
  const std::string what =
      experiment.trials.count() > 1
          ? fmt::format("{} steps in {} trials", experiment.steps, experiment.trials.count())
          : fmt::format("{} steps", experiment.steps);
  if (readout.folds > 0) {
    for (std::int64_t k = 0; k < readout.folds; ++k) {
      const ReadoutTicks::Fold fold = ticks.fold(k);
      if (!fold.test.empty() && count_of(fold.training) >= 2) continue;
      return add(key + ".folds",
                 fmt::format("{} give no {} folds with something to train on and "
                             "something to predict in each{}",
                             what, readout.folds, purge_way_out(readout, ticks, options)));
    }
    return;
  }
  const std::int64_t trained = readout.kind->is_online() ? ticks.all() : count_of(ticks.training());
  const std::int64_t tested = count_of(ticks.test());
  const bool lacks_validation =
      readout.split.is_map && readout.split.validation > 0.0 && ticks.validation().empty();
  if (trained < 2 || tested < 2 || lacks_validation) {
    add(key, fmt::format("{}, {} ahead, give {} ticks to train on{} and {} to predict; at "
                         "least 2 of each are needed{}",
                         what, readout.target.horizon, trained,
                         lacks_validation ? ", none to validate by" : "", tested,
                         purge_way_out(readout, ticks, options)));
  } else if (readout.target.is_label() && readout.task() == ReadoutTask::classes &&
             !readout.kind->is_online() && !has_training_label(experiment, readout, ticks)) {
    add(key + ".target.label",
        fmt::format("none of the {} ticks that it is trained on has a label; choose other shares "
                    "in split, or label rows among them",
                    trained));
  }
}

void check_split(const ReadoutConfig& readout, const std::string& key, const AddProblem& add) {
  const ReadoutSplit& split = readout.split;
  const double sum = split.train + split.validation + split.test;
  if (split.is_map && sum > 1.0 + 1e-9) {
    add(key + ".split", fmt::format("expected shares that add up to 1 at most, got {}", sum));
  }
  if (readout.folds == 1) add(key + ".folds", "expected 0 or at least 2, got 1");
  const bool has_few = readout.labels.of != ReadoutLabels::Count::all;
  if (readout.folds > 1 && (has_few || readout.kind->names_neurons())) {
    add(key + ".folds",
        fmt::format("{} in the one part that is for training; leave folds out, or say with split "
                    "which part that is",
                    has_few ? "labels are drawn" : "neurons are named by what they answer"));
  }
  if (readout.folds > 1 && (split.is_map || split.share)) {
    add(key + ".folds", "stands in place of split; leave one of them out");
  }
  const auto* const online = readout.kind.get_if<OnlineReadoutOptions>();
  if (online != nullptr && !online->goes_on && split.share.value_or(split.train) <= 0.0) {
    add(key + ".goes_on",
        "expected true where no split says what its training part is, got false: it would learn "
        "nothing; give it one, as split: 0.7");
  }
}

/// Up to eight of them.
std::string few(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + printable(names[i]);
  }
  return names.size() > most ? text + ", ..." : text;
}

/// Names of what readouts can have as a target of this sort.
std::vector<std::string> known_names(const Series& series, ReadoutTarget::Of of) {
  if (of == ReadoutTarget::Of::channel) return series.channel_names();
  if (of == ReadoutTarget::Of::latent) return series.latent_names();
  std::vector<std::string> names;
  for (const SideColumn& column : series.side_columns()) {
    if (column.role == SideColumn::Role::target) names.push_back(column.name);
  }
  return names;
}

/// Finds what the target of a readout names in the series.
void find_target(const Series& series, ReadoutConfig& readout, const std::string& key,
                 const AddProblem& add) {
  ReadoutTarget& target = readout.target;
  const std::string what = to_string(target.of);
  const std::vector<std::string> known = known_names(series, target.of);
  // A readout that is only applied may have targets that are not known.
  if (!readout.learn && known.empty()) {
    target.indices.assign(target.names.size(), 0);
    return;
  }
  for (const std::string& name : target.names) {
    const auto found = std::find(known.begin(), known.end(), name);
    std::int64_t index = found - known.begin();
    if (found == known.end()) {
      const auto number = parse_integer(name);
      if (known.empty()) {
        return add(key + ".target." + what,
                   target.of == ReadoutTarget::Of::latent ? "this series has no latents"
                   : target.of == ReadoutTarget::Of::column
                       ? "these data have no columns that are targets alone (data.targets)"
                       : "this series has no channels");
      }
      if (!number || *number < 0) {
        return add(key + ".target." + what,
                   fmt::format("there is no {} {}{}; known: {}", what, in_quotes(name),
                               did_you_mean(name, known), few(known)));
      }
      if (*number >= std::ssize(known)) {
        return add(key + ".target." + what, fmt::format("there is no {} {}; known: 0 to {}", what,
                                                        *number, known.size() - 1));
      }
      index = *number;
    }
    if (std::find(target.indices.begin(), target.indices.end(), index) != target.indices.end()) {
      return add(key + ".target." + what, fmt::format("{} {} stands there twice", what, name));
    }
    target.indices.push_back(index);
  }
}

void find_normal(const Series& series, ReadoutConfig& readout, const std::string& key,
                 const AddProblem& add) {
  const std::vector<std::string>& classes = series.classes();
  readout.target.of = ReadoutTarget::Of::label;
  readout.target.indices = {0};
  if (readout.normal.empty()) return;
  const auto found = std::find(classes.begin(), classes.end(), readout.normal);
  if (found == classes.end()) {
    return add(key + ".normal",
               classes.empty()
                   ? "names a class, but these data have no labels (data.labels)"
                   : fmt::format("there is no class {}{}; known: {}", in_quotes(readout.normal),
                                 did_you_mean(readout.normal, classes), few(classes)));
  }
  readout.target.indices = {found - classes.begin()};
}

/// Where the data themselves say what is for training, a readout that says nothing does so too.
void take_split(const Experiment& experiment, ReadoutConfig& readout) {
  ReadoutSplit& split = readout.split;
  const auto training = experiment.series->training_rows();
  if (!training || split.is_map || split.share || readout.folds > 0 || readout.kind->is_online()) {
    return;
  }
  // In the middle of a step, so that rounding moves no sample across.
  const auto share =
      (static_cast<double>(*training) + 0.5) / static_cast<double>(experiment.trials.steps());
  if (share > 0.0 && share < 1.0) split.share = share;
}

/// What learns online has no part for training that moments could be of, unless it skips some.
void take_skip(const Experiment& experiment, ReadoutConfig& readout) {
  const DataConfig& data = experiment.config.data;
  const bool is_measured = data.is_measured() || data.whiten == Whiten::zca;
  const ReadoutSplit& split = readout.split;
  const bool has_training = split.is_map || split.share.value_or(0.0) > 0.0;
  if (readout.skip) return;
  readout.skip = 0.0;
  if (!readout.kind->is_online() || !is_measured || has_training) return;
  // A tenth of few trials or groups is at least one.
  const Trials& trials = experiment.trials;
  const std::int64_t dealt = trials.groups().empty() ? trials.count() : trials.group_count();
  readout.skip = dealt > 1 && dealt < 10 ? 1.0 / static_cast<double>(dealt) : 0.1;
}

}  // namespace

void check_readouts(const ExperimentConfig& config, const AddProblem& add) {
  std::set<std::string> names;
  const auto levels = static_cast<std::int64_t>(config.hierarchy().levels.size());
  for (std::size_t i = 0; i < config.readouts.size(); ++i) {
    const ReadoutConfig& readout = config.readouts[i];
    const std::string key = fmt::format("readouts[{}]", i);
    if (!readout.name.empty() && !names.insert(readout.name).second) {
      add(key + ".name", "there is another readout '" + readout.name + "'");
    }
    check_split(readout, key, add);
    const bool is_label = readout.target.is_label();
    if (readout.task() == ReadoutTask::classes && !is_label) {
      add(key + ".target", fmt::format("type {} predicts classes; its target is {{label: true}}, "
                                       "the classes of data.labels",
                                       readout.kind->name()));
    } else if (readout.task() == ReadoutTask::matching && is_label) {
      add(key + ".target", "matching is of numbers: of latents, channels or columns");
    } else if (readout.task() == ReadoutTask::regression && is_label) {
      add(key + ".type", fmt::format("{} predicts numbers; classes are for type logistic or naming",
                                     readout.kind->name()));
    }
    const ReadoutTarget& target = readout.target;
    const bool learns_change = target.change && readout.task() != ReadoutTask::matching;
    if (learns_change && (target.horizon == 0 || target.per_trial)) {
      add(key + ".target.change",
          "from now to when? it needs a horizon of at least 1, and a prediction at every tick "
          "(per: tick)");
    }
    std::set<std::int64_t> read;
    for (const std::int64_t level : readout.levels) {
      if (levels > 0 && level >= levels) {
        add(key + ".levels",
            fmt::format("there is no level {}; known: 0 to {}", level, levels - 1));
      }
      if (!read.insert(level).second) add(key + ".levels", fmt::format("level {} twice", level));
    }
  }
}

namespace {

/// Checks that every level that is read has one matrix of weights a layer, by which it rebuilds.
void check_rebuilding(const Experiment& experiment, const ReadoutConfig& readout,
                      const std::string& key, const AddProblem& add) {
  const std::vector<LevelConfig>& levels = experiment.config.hierarchy().levels;
  for (const std::int64_t index : readout.levels) {
    if (index < 0 || index >= std::ssize(levels)) continue;
    for (const LayerConfig& layer : levels[static_cast<std::size_t>(index)].layers) {
      if (!layer.kind->own_size()) continue;
      add(key + ".score",
          fmt::format(
              "reconstruction needs layers with one matrix of weights, and level {} has one "
              "of type {}; use another score, or other levels",
              index, layer.kind->name()));
    }
  }
}

}  // namespace

namespace {

/// Tells a readout how long a sample is, and checks that it can read one.
void check_features(const Experiment& experiment, ReadoutConfig& readout, const std::string& key,
                    const AddProblem& add) {
  readout.features.input_size = experiment.features();
  if (!readout.features.input || !experiment.config.data.keeps_missing()) return;
  add(key + ".features",
      "values of the input are missing in the samples, and a readout needs numbers; leave input "
      "out, or let data.missing fill them");
}

}  // namespace

namespace {

/// Checks what a statistic needs, and gives it the classes of its rows where there are any.
void check_statistic(const Experiment& experiment, ReadoutConfig& readout, const std::string& key,
                     const AddProblem& add) {
  const auto& statistic = *readout.kind.get_if<StatisticOptions>();
  const std::string of = to_string(statistic.measured);
  readout.target.of = ReadoutTarget::Of::label;
  if (statistic.measured == Statistic::selectivity && !statistic.over.empty()) {
    const std::vector<std::string> known =
        known_names(*experiment.series, ReadoutTarget::Of::latent);
    const auto found = std::find(known.begin(), known.end(), statistic.over);
    if (found == known.end()) {
      return add(key + ".over",
                 known.empty()
                     ? "this series has no latents"
                     : fmt::format("there is no latent {}{}; known: {}", in_quotes(statistic.over),
                                   did_you_mean(statistic.over, known), few(known)));
    }
    readout.target.of = ReadoutTarget::Of::latent;
    readout.target.indices = {found - known.begin()};
  } else if (statistic.measured == Statistic::selectivity && experiment.series->classes().empty()) {
    add(key + ".of",
        "selectivity is over classes, and these data have no labels (data.labels); name a latent "
        "of a generator by `over`, or use a statistic over ticks, such as sparseness");
  }
  const std::size_t count = statistic.expected.size();
  for (const auto& [name, size] : {std::pair("deviation", statistic.deviation.size()),
                                   std::pair("places", statistic.places.size())}) {
    if (size == 0 || size == count) continue;
    add(fmt::format("{}.{}", key, name),
        fmt::format("expected as many as expected has, {}, got {}", count, size));
  }
  if (!statistic.needs_weights()) return;
  const std::vector<LevelConfig>& levels = experiment.config.hierarchy().levels;
  if (readout.levels.size() != 1) {
    return add(key + ".levels", fmt::format("{} is of the weights of one level, got {} levels; "
                                            "give each level a readout of its own",
                                            of, readout.levels.size()));
  }
  const std::int64_t index = readout.levels.front();
  if (index < 0 || index >= std::ssize(levels)) return;
  const LevelConfig& level = levels[static_cast<std::size_t>(index)];
  const LayerConfig& layer = level.layers.front();
  if (layer.kind->own_size() || level.layers.size() > 1) {
    return add(key + ".of",
               fmt::format("{} needs a level of one layer with one matrix of weights, and level {} "
                           "{}; use kurtosis, sparseness or selectivity, or another level",
                           of, index,
                           level.layers.size() > 1
                               ? fmt::format("has {} layers", level.layers.size())
                               : fmt::format("has one of type {}", layer.kind->name())));
  }
  const std::int64_t below = index == 0
                                 ? experiment.features()
                                 : levels[static_cast<std::size_t>(index) - 1].layers.back().size;
  const std::int64_t inputs = pooled_size(level, below);
  if (statistic.measured == Statistic::components && layer.size > inputs) {
    add(key + ".of", fmt::format("level {} has {} neurons and reads {} numbers, which have no "
                                 "more principal components than that; use fewer neurons",
                                 index, layer.size, inputs));
  }
  if (statistic.measured != Statistic::weights) return;
  const std::int64_t weights = layer.size * inputs;
  if (count == 0) {
    return add(key + ".expected",
               fmt::format("missing: a list of the {} weights that are expected, {} neurons of {}, "
                           "or of those that `places` names",
                           weights, layer.size, inputs));
  }
  if (statistic.places.empty() && static_cast<std::int64_t>(count) != weights) {
    add(key + ".expected", fmt::format("level {} has {} weights, {} neurons of {}, got {}; say by "
                                       "`places` which of them these are",
                                       index, weights, layer.size, inputs, count));
  }
  for (const std::int64_t place : statistic.places) {
    if (place < weights) continue;
    return add(key + ".places",
               fmt::format("there is no weight {}; known: 0 to {}", place, weights - 1));
  }
}

}  // namespace

void check_targets(Experiment& experiment, const AddProblem& add) {
  const Series& series = *experiment.series;
  for (std::size_t i = 0; i < experiment.config.readouts.size(); ++i) {
    ReadoutConfig& readout = experiment.config.readouts[i];
    ReadoutTarget& target = readout.target;
    if (readout.task() == ReadoutTask::matching) target.change = false;  // it learns none
    const std::string key = fmt::format("readouts[{}]", i);
    if (!readout.predicts()) check_change(experiment, i, key, add);
    if (readout.kind->fuses()) continue;  // behind those that it fuses
    check_features(experiment, readout, key, add);
    if (readout.kind->reads_reconstructions()) check_rebuilding(experiment, readout, key, add);
    if (readout.task() == ReadoutTask::statistic) {
      check_statistic(experiment, readout, key, add);
    } else if (readout.task() == ReadoutTask::anomaly) {
      find_normal(series, readout, key, add);
    } else if (!target.is_label()) {
      find_target(series, readout, key, add);
    } else if (series.classes().empty() && readout.learn) {
      add(key + ".target.label", "these data have no labels (data.labels)");
    }
    if (target.of == ReadoutTarget::Of::channel && target.horizon == 0 && target.mean_over == 1 &&
        readout.task() == ReadoutTask::regression) {
      experiment.warnings.push_back(fmt::format(
          "{}.target: channel {} at horizon 0 is among what level 0 reads: the readout has only to "
          "copy it",
          key, target.names.empty() ? "0" : target.names.front()));
    }
    if (experiment.steps > 0) take_split(experiment, readout);
    take_skip(experiment, readout);
    if (experiment.steps > 0 && settle_folds(experiment, readout, key, add)) {
      check_ticks(experiment, readout, key, add);
    }
    check_free_run(experiment, i, key, add);
  }
  for (std::size_t i = 0; i < experiment.config.readouts.size(); ++i) {
    const ReadoutConfig& readout = experiment.config.readouts[i];
    if (!readout.kind->fuses() || !readout.predicts()) continue;
    check_consensus(experiment, i, fmt::format("readouts[{}]", i), add);
  }
}

}  // namespace gaia
