// SPDX-License-Identifier: MIT
#include "hierarchy_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/names.h"
#include "../../core/text.h"
#include "../../layers/hierarchy/hebbian.h"
#include "../../layers/hierarchy/plastic_conv.h"
#include "../../layers/hierarchy/predictive.h"
#include "../../layers/hierarchy/temporal.h"
#include "../../layers/network/plastic.h"
#include "../data/open_images.h"
#include "../data/whiten_rows.h"
#include "chosen_ticks.h"
#include "feedback_checks.h"
#include "filter_checks.h"
#include "first_samples.h"
#include "learnt.h"
#include "readout_checks.h"
#include "top_down_checks.h"
#include "training_part.h"

namespace gaia {
namespace {

constexpr std::int64_t kMostInputs = 100000000;

void warn_of_layer(Experiment& experiment, const LayerConfig& layer, const std::string& key,
                   std::int64_t inputs) {
  Kind<LayerKind> kind = layer.kind;
  if (HebbianOptions* const options = kind->hebbian()) options->learn = layer.learn;
  for (const std::string& warning : kind->warnings(inputs, layer.size)) {
    experiment.warnings.push_back(key + ": " + warning);
  }
}

void warn_of_learning(Experiment& experiment) {
  const HierarchyConfig& hierarchy = experiment.config.hierarchy();
  if (hierarchy.epochs > 1 && !hierarchy.learns_at_first()) {
    experiment.warnings.push_back(
        "hierarchy.epochs: nothing learns, so every epoch is the same; one is enough");
  }
}

/// The key under which a layer has one of its rules.
std::string key_of(const PlasticityRule& rule, const LayerConfig& layer) {
  const auto* const temporal = layer.kind.get_if<TemporalOptions>();
  if (temporal == nullptr) return "rule";
  return temporal->input_rule && &*temporal->input_rule == &rule ? "input.rule" : "recurrent.rule";
}

}  // namespace

void check_rates(const ExperimentConfig& config, const AddProblem& add) {
  const auto has_limit = [](const std::string& name) {
    return stability_limit(rule_from_name(name)).has_value();
  };
  std::vector<std::string> known;
  for (const std::string& name : rule_names()) {
    if (has_limit(name)) known.push_back(name);
  }
  const std::vector<LevelConfig>& levels = config.hierarchy().levels;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    for (std::size_t m = 0; m < levels[n].layers.size(); ++m) {
      const bool is_scheduled = config.hierarchy().schedule.kind != RateSchedule::Kind::none;
      for (const PlasticityRule* const rule : levels[n].layers[m].kind->rules()) {
        const auto* const written = std::get_if<EquationRule>(rule);
        if (written != nullptr && is_scheduled && written->parameter("rate") == nullptr) {
          add(fmt::format("hierarchy.levels[{}].layers[{}].{}.parameters", n, m,
                          key_of(*rule, levels[n].layers[m])),
              "hierarchy.schedule makes the parameter `rate` fall, which these equations have not");
        }
      }
      const HebbianOptions* const options = levels[n].layers[m].kind->hebbian();
      if (options == nullptr || !options->automatic_rate) continue;
      if (stability_limit(options->rule)) continue;
      const std::string note = stability_note(options->rule);
      add(fmt::format("hierarchy.levels[{}].layers[{}].learning_rate", n, m),
          fmt::format("auto needs a rule with a known limit ({}), got {}{}; write a number",
                      join(known), rule_name(options->rule),
                      note.empty() ? "" : ", which " + note));
    }
  }
}

bool reads_labels(const LayerConfig& layer) {
  if (const auto* const predictive = layer.kind.get_if<PredictiveOptions>()) {
    return predictive->signal().is_labels;
  }
  for (const LayerSignal& signal : signals_of_top_down(layer)) {
    if (signal.source.is_labels) return true;
  }
  for (const PlasticityRule* const of_layer : layer.kind->rules()) {
    const auto* const rule = std::get_if<EquationRule>(of_layer);
    if (rule == nullptr) continue;
    const std::vector<EquationSignalSource>& signals = rule->options().signals;
    if (std::any_of(signals.begin(), signals.end(),
                    [](const EquationSignalSource& signal) { return signal.is_labels; })) {
      return true;
    }
  }
  return false;
}

namespace {

/// Names of the classes that neurons of a stored layer stand for; empty where it read none.
std::vector<std::string> stored_classes(const StoredRun& run, const std::string& layer) {
  const hdf5::Description* const group = run.contents.group(layer);
  if (group == nullptr) return {};
  if (auto classes = group->texts("classes")) return *classes;
  // A list of one text is read as a text.
  if (auto one = group->text("classes")) return {*one};
  return {};
}

bool any_reads_labels(const ExperimentConfig& config) {
  for (const LevelConfig& level : config.hierarchy().levels) {
    if (std::any_of(level.layers.begin(), level.layers.end(), reads_labels)) return true;
  }
  return false;
}

/// Classes of the series that are in the rows which the run reads. This takes a pass over these
/// rows, unless they are all rows.
std::vector<bool> classes_in_use(const Experiment& experiment) {
  Series& series = *experiment.series;
  const std::int64_t rows = std::min(experiment.trials.rows(), series.rows());
  const std::vector<SideColumn> beside = series.side_columns();
  const auto label = std::find_if(beside.begin(), beside.end(), [](const SideColumn& column) {
    return column.role == SideColumn::Role::label;
  });
  std::vector<bool> is_in_use(series.classes().size(), true);
  if (rows == series.rows() || label == beside.end()) return is_in_use;
  is_in_use.assign(is_in_use.size(), false);
  const auto column = static_cast<std::size_t>(label - beside.begin());
  constexpr std::int64_t kAtOnce = 4096;
  for (std::int64_t first = 0; first < rows; first += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, rows - first);
    std::vector<double> unused(static_cast<std::size_t>(count * series.channels()));
    SideValues codes;
    series.read_with_side(first, count, unused, {&column, 1}, {&codes, 1});
    for (const std::int64_t code : std::get<std::vector<std::int64_t>>(codes)) {
      if (code >= 0) is_in_use[static_cast<std::size_t>(code)] = true;
    }
  }
  return is_in_use;
}

}  // namespace

void number_classes(Experiment& experiment) {
  DataConfig& data = experiment.config.data;
  data.label_classes.clear();
  data.class_numbers.clear();
  if (!any_reads_labels(experiment.config) || experiment.trials.steps() == 0) return;
  const std::vector<LevelConfig>& levels = experiment.config.hierarchy().levels;
  for (std::size_t n = 0; n < levels.size() && experiment.from; ++n) {
    for (std::size_t m = 0; m < levels[n].layers.size(); ++m) {
      if (!data.label_classes.empty() || !reads_labels(levels[n].layers[m])) continue;
      data.label_classes =
          stored_classes(*experiment.from, fmt::format("/levels/{}/layers/{}", n, m));
    }
  }
  const std::vector<std::string>& classes = experiment.series->classes();
  const std::vector<bool> is_in_use = classes_in_use(experiment);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto found = std::find(data.label_classes.begin(), data.label_classes.end(), classes[c]);
    // No row that is read has one that is not in use.
    data.class_numbers.push_back(
        is_in_use[c] ? static_cast<double>(found - data.label_classes.begin()) : -1.0);
    if (is_in_use[c] && found == data.label_classes.end()) {
      data.label_classes.push_back(classes[c]);
    }
  }
}

namespace {

/// Neurons for each of which a rule may read a signal of its own.
std::int64_t neurons_of(const LayerConfig& layer) {
  const auto* const patches = layer.kind.get_if<PlasticConvOptions>();
  return patches == nullptr ? layer.size : patches->filters;
}

/// What to write so that a layer has so many neurons.
std::string size_key(const LayerConfig& layer, std::int64_t neurons) {
  if (layer.kind.get_if<PlasticConvOptions>() != nullptr)
    return fmt::format("filters: {}", neurons);
  return layer.kind->own_size() ? fmt::format("{} as the last of sizes", neurons)
                                : fmt::format("size: {}", neurons);
}

void check_labels(const Experiment& experiment, const LayerConfig& layer, const std::string& key,
                  const AddProblem& add) {
  const std::int64_t neurons = neurons_of(layer);
  const std::vector<double>& numbers = experiment.config.data.class_numbers;
  if (experiment.series->classes().empty()) {
    return add(key, "these data have no labels (data.labels)");
  }
  const auto here =
      std::count_if(numbers.begin(), numbers.end(), [](double number) { return number >= 0.0; });
  const std::vector<std::string>& classes = experiment.config.data.label_classes;
  const auto count = std::ssize(classes);
  if (count <= neurons) return;
  if (count == here) {
    return add(key,
               fmt::format("these data have {} classes, one for each neuron, and the layer {}; "
                           "write {}",
                           count, neurons, size_key(layer, count)));
  }
  add(key, fmt::format("these data have the class '{}', which {} (hierarchy.from) did not have, "
                       "and the {} neurons of the layer are those of its classes; leave its rows "
                       "out",
                       printable(classes.back()), printable(experiment.from->path), neurons));
}

void check_signal(const Experiment& experiment, const EquationSignalSource& signal,
                  const LayerConfig& layer, const std::string& key, const AddProblem& add) {
  if (layer.size == 0) return;  // of sizes that could not be read, which is reported
  const Series& series = *experiment.series;
  if (signal.is_labels) return check_labels(experiment, layer, key, add);
  std::vector<std::string> targets;
  for (const SideColumn& side : series.side_columns()) {
    if (side.role == SideColumn::Role::target) targets.push_back(side.name);
  }
  for (const std::string& column : signal.columns) {
    if (std::find(targets.begin(), targets.end(), column) != targets.end()) continue;
    add(key,
        fmt::format("'{}' is none of data.targets{}; {}", column, did_you_mean(column, targets),
                    targets.empty() ? "there are none; name it there" : "known: " + join(targets)));
  }
  if (signal.is_list && std::ssize(signal.columns) != neurons_of(layer)) {
    add(key, fmt::format("has {} columns, one for each neuron, and the layer {}; write {}",
                         signal.columns.size(), neurons_of(layer),
                         size_key(layer, std::ssize(signal.columns))));
  }
}

}  // namespace

namespace {

/// What the rules of a layer read beside samples.
std::vector<LayerSignal> signals_of(const HierarchyConfig& hierarchy, std::size_t level,
                                    std::size_t layer) {
  const LayerConfig& of = hierarchy.levels[level].layers[layer];
  std::vector<LayerSignal> signals;
  const bool learns = hierarchy.learn && hierarchy.levels[level].options.learn && of.learn;
  if (learns) signals = signals_of_top_down(of);
  if (const auto* const predictive = of.kind.get_if<PredictiveOptions>(); predictive && learns) {
    signals.push_back({predictive->signal(), predictive->signal().name});
  }
  for (const PlasticityRule* const of_layer : of.kind->rules()) {
    const auto* const rule = std::get_if<EquationRule>(of_layer);
    if (rule == nullptr) continue;
    const std::vector<bool> is_read = rule->program().signals_read(learns);
    for (std::size_t s = 0; s < is_read.size(); ++s) {
      const EquationSignalSource& signal = rule->options().signals[s];
      if (is_read[s] && !signal.is_handed_over) {
        signals.push_back({signal, key_of(*of_layer, of) + ".signals." + signal.name});
      }
    }
  }
  return signals;
}

}  // namespace

void check_signals(const Experiment& experiment, const AddProblem& add) {
  const HierarchyConfig& hierarchy = experiment.config.hierarchy();
  for (std::size_t n = 0; n < hierarchy.levels.size(); ++n) {
    for (std::size_t m = 0; m < hierarchy.levels[n].layers.size(); ++m) {
      const LayerConfig& layer = hierarchy.levels[n].layers[m];
      for (const LayerSignal& signal : signals_of(hierarchy, n, m)) {
        check_signal(experiment, signal.source, layer,
                     fmt::format("hierarchy.levels[{}].layers[{}].{}", n, m, signal.key), add);
      }
    }
  }
}

void check_epochs(Experiment& experiment, const AddProblem& add) {
  const HierarchyConfig& hierarchy = experiment.config.hierarchy();
  if (hierarchy.epochs == 1 || !hierarchy.learns_at_first()) return;
  const std::vector<ReadoutConfig>& readouts = experiment.config.readouts;
  const auto folded = std::find_if(readouts.begin(), readouts.end(), [](const auto& readout) {
    return readout.folds > 0 && readout.learn;
  });
  for (std::size_t n = 0; n < hierarchy.levels.size() && folded != readouts.end(); ++n) {
    for (std::size_t m = 0; m < hierarchy.levels[n].layers.size(); ++m) {
      const bool learns = hierarchy.levels[n].options.learn && hierarchy.levels[n].layers[m].learn;
      if (!learns || signals_of(hierarchy, n, m).empty()) continue;
      return add(
          "hierarchy.epochs",
          fmt::format("expected 1 beside readout '{}' with folds, got {}: hierarchy.levels"
                      "[{}].layers[{}] learns by signals of all rows, so that what a fold is "
                      "scored by would have been learnt in the epochs before; write split in "
                      "place of folds, whose test part nothing learns from before the last "
                      "epoch",
                      folded->name, hierarchy.epochs, n, m));
    }
  }
  if (training_part(experiment).end_step() > 0) return;
  experiment.warnings.push_back(fmt::format(
      "hierarchy.epochs: nothing learns in the first {} of {} epochs, since a readout that learns "
      "online is scored from its first tick on; with skip or a split they learn from what comes "
      "before it is scored",
      hierarchy.epochs - 1, hierarchy.epochs));
}

std::string rule_of_cpu(const ExperimentConfig& config) {
  std::vector<const PlasticityRule*> rules;
  for (const LevelConfig& level : config.hierarchy().levels) {
    for (const LayerConfig& layer : level.layers) {
      const HebbianOptions* const options = layer.kind->hebbian();
      if (options != nullptr) rules.push_back(&options->rule);
    }
  }
  if (config.network()) {
    for (const Kind<ModuleKind>& layer : config.network()->layers) {
      const auto* const plastic = layer.get_if<PlasticKind>();
      if (plastic != nullptr) rules.push_back(&plastic->options.rule);
    }
  }
  for (const PlasticityRule* rule : rules) {
    const auto* const single = std::get_if<Rule>(rule);
    if (single != nullptr && std::holds_alternative<CustomRule>(*single)) return rule_name(*rule);
  }
  return {};
}

namespace {

bool check_ticks(const LevelConfig& level, const std::string& key, const AddProblem& add) {
  const std::int64_t resolution = level.temporal_resolution;
  if (level.options.phase >= resolution) {
    add(key + ".phase", fmt::format("must be below temporal_resolution, which is {}, got {}",
                                    resolution, level.options.phase));
    return false;
  }
  if (level.options.pooling == Pooling::legendre && level.options.legendre > resolution) {
    add(key + ".pooling.legendre",
        fmt::format("a window of {} steps has at most {} numbers, got {}; make it smaller, or "
                    "temporal_resolution larger",
                    resolution, resolution, level.options.legendre));
    return false;
  }
  return true;
}

}  // namespace

bool check_sizes(Experiment& experiment, const AddProblem& add) {
  warn_of_learning(experiment);
  std::int64_t below = experiment.features();
  const std::vector<LevelConfig>& levels = experiment.config.hierarchy().levels;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const LevelConfig& level = levels[n];
    const std::string key = fmt::format("hierarchy.levels[{}]", n);
    if (!check_ticks(level, key, add)) return false;
    const auto inputs = pooled_size(level.options.pooling, level.temporal_resolution, below,
                                    level.options.legendre);
    if (!inputs || *inputs > kMostInputs) {
      add(key, fmt::format("it would read {} numbers; at most {} are supported",
                           inputs ? std::to_string(*inputs) : "more than 2^63", kMostInputs));
      return false;
    }
    std::int64_t size = *inputs;
    for (std::size_t m = 0; m < level.layers.size(); ++m) {
      warn_of_layer(experiment, level.layers[m], fmt::format("{}.layers[{}]", key, m), size);
      size = level.layers[m].size;
    }
    below = size;
  }
  return true;
}

namespace {

/// What is reported of the pictures that it reads, and of whitening as in an earlier run.
void check_rows(Loader& loader) {
  Experiment& experiment = loader.experiment;
  if (!loader.data_is_right()) return;
  check_shape(experiment, loader.add);
  if (experiment.config.data.whiten != Whiten::stored) return;
  if (experiment.from) return whiten_as_stored(experiment, loader.add);
  if (experiment.config.hierarchy().from.empty()) {
    loader.add("data.whiten", "stored needs a run to take it from (hierarchy.from)");
  }
}

void take_scaling(Experiment& experiment, const AddProblem& add) {
  Scaling& scaling = experiment.config.data.scaling;
  scaling = experiment.from->scaling;
  const auto stored = static_cast<std::int64_t>(scaling.scale.size());
  if (stored == experiment.series->channels()) return;
  const std::string name = printable(experiment.from->path);
  add("data.normalize",
      stored == 0 ? fmt::format("the data of {} (hierarchy.from) were not scaled; use none", name)
                  : fmt::format("{} (hierarchy.from) has scaled {} channels, these data have {}",
                                name, stored, experiment.series->channels()));
}

/// Checks that what an earlier run has learnt fits.
void check_from(Loader& loader) {
  Experiment& experiment = loader.experiment;
  const ExperimentConfig& config = experiment.config;
  const bool is_scaled = config.data.normalize == Normalize::stored;
  const bool has_problem = !config.hierarchy().from.empty() && !experiment.from;
  if (has_problem) return;
  if (!experiment.from) {
    if (is_scaled) {
      loader.add("data.normalize", "stored needs a run to take it from (hierarchy.from)");
    }
    for (std::size_t i = 0; i < config.readouts.size(); ++i) {
      if (config.readouts[i].learn) continue;
      loader.add(fmt::format("readouts[{}].learn", i),
                 "a readout that does not learn needs a run to be taken from (hierarchy.from)");
    }
    return;
  }
  const std::size_t before = loader.problems.count();
  check_weights(*experiment.from, config, experiment.features(), loader.add);
  if (is_scaled) take_scaling(experiment, loader.add);
  if (loader.problems.count() > before || loader.problems.any_below("readouts")) return;
  for (std::size_t i = 0; i < config.readouts.size(); ++i) {
    if (!config.readouts[i].learn) check_readout(*experiment.from, config, i, loader.add);
  }
}

}  // namespace

void load_hierarchy(Loader& loader) {
  Experiment& experiment = loader.experiment;
  check_rates(experiment.config, loader.add);
  check_top_down(experiment.config, loader.add);
  loader.open_data();
  if (experiment.series) {
    check_rows(loader);
    if (loader.is_right()) {
      size_layers(experiment.config.kind.get_if<HierarchyConfig>()->levels, experiment.features(),
                  experiment.config.data.window > 1 ? std::vector<std::int64_t>()
                                                    : experiment.picture_shape());
    }
    check_targets(experiment, loader.add);
    check_feedback(experiment, loader.add);
    number_classes(experiment);
    check_signals(experiment, loader.add);
    if (loader.is_right()) check_epochs(experiment, loader.add);
    if (loader.is_right()) check_filters(experiment, loader.add);
    if (loader.is_right()) check_first_samples(experiment, loader.add);
    if (loader.is_right() && check_sizes(experiment, loader.add)) check_from(loader);
  }
  loader.settle_data();
  if (experiment.series && loader.problems.empty()) choose_ticks(experiment, loader.add);
}

}  // namespace gaia
