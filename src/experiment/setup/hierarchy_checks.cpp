// SPDX-License-Identifier: MIT
#include "hierarchy_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "../../core/names.h"
#include "../../layers/hierarchy/hebbian.h"

namespace gaia {
namespace {

constexpr std::int64_t kMostInputs = 100000000;

void warn_of_layer(Experiment& experiment, const LayerConfig& layer, const std::string& key,
                   std::int64_t inputs) {
  for (const std::string& warning : layer.kind->warnings(inputs, layer.size)) {
    experiment.warnings.push_back(key + ": " + warning);
  }
}

/// Whether any layer learns at the first step.
bool learns(const HierarchyConfig& hierarchy) {
  const auto any_layer = [](const LevelConfig& level) {
    return level.learn &&
           std::any_of(level.layers.begin(), level.layers.end(), [](const LayerConfig& layer) {
             return layer.learn && layer.kind->is_plastic();
           });
  };
  return hierarchy.learn && hierarchy.freeze_after.value_or(1) > 0 &&
         std::any_of(hierarchy.levels.begin(), hierarchy.levels.end(), any_layer);
}

void warn_of_learning(Experiment& experiment) {
  const HierarchyConfig& hierarchy = experiment.config.hierarchy;
  if (hierarchy.epochs > 1 && !learns(hierarchy)) {
    experiment.warnings.push_back(
        "hierarchy.epochs: nothing learns, so every epoch is the same; one is enough");
  }
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
  const std::vector<LevelConfig>& levels = config.hierarchy.levels;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    for (std::size_t m = 0; m < levels[n].layers.size(); ++m) {
      const auto* const options = levels[n].layers[m].kind.get_if<HebbianOptions>();
      if (options == nullptr) continue;
      const auto* const written = std::get_if<EquationRule>(&options->rule);
      const bool is_scheduled = config.hierarchy.schedule.kind != RateSchedule::Kind::none;
      if (written != nullptr && is_scheduled && written->parameter("rate") == nullptr) {
        add(fmt::format("hierarchy.levels[{}].layers[{}].rule.parameters", n, m),
            "hierarchy.schedule makes the parameter `rate` fall, which these equations have not");
      }
      if (!options->automatic_rate) continue;
      if (stability_limit(options->rule)) continue;
      const std::string note = stability_note(options->rule);
      add(fmt::format("hierarchy.levels[{}].layers[{}].learning_rate", n, m),
          fmt::format("auto needs a rule with a known limit ({}), got {}{}; write a number",
                      join(known), rule_name(options->rule),
                      note.empty() ? "" : ", which " + note));
    }
  }
}

namespace {

void check_signal(const Series& series, const EquationSignalSource& signal, std::int64_t neurons,
                  const std::string& key, const AddProblem& add) {
  if (signal.is_labels) {
    const auto classes = std::ssize(series.classes());
    if (classes == 0) return add(key, "these data have no labels (data.labels)");
    if (classes > neurons) {
      add(key, fmt::format("these data have {} classes, one for each neuron, and the layer {}; "
                           "write size: {}",
                           classes, neurons, classes));
    }
    return;
  }
  std::vector<std::string> targets;
  for (const SideColumn& side : series.side_columns()) {
    if (side.role == SideColumn::Role::target) targets.push_back(side.name);
  }
  for (const std::string& column : signal.columns) {
    if (std::find(targets.begin(), targets.end(), column) != targets.end()) continue;
    add(key, fmt::format("'{}' is none of data.targets{}; {}", column,
                         did_you_mean(column, targets),
                         targets.empty() ? "there are none; name it there"
                                         : "known: " + join(targets)));
  }
  if (signal.is_list && std::ssize(signal.columns) != neurons) {
    add(key, fmt::format("has {} columns, one for each neuron, and the layer {}; write size: {}",
                         signal.columns.size(), neurons, signal.columns.size()));
  }
}

}  // namespace

void check_signals(const Experiment& experiment, const AddProblem& add) {
  const std::vector<LevelConfig>& levels = experiment.config.hierarchy.levels;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    for (std::size_t m = 0; m < levels[n].layers.size(); ++m) {
      const auto* const options = levels[n].layers[m].kind.get_if<HebbianOptions>();
      const auto* const rule =
          options == nullptr ? nullptr : std::get_if<EquationRule>(&options->rule);
      if (rule == nullptr) continue;
      const bool learns =
          experiment.config.hierarchy.learn && levels[n].learn && levels[n].layers[m].learn;
      const std::vector<bool> is_read = rule->program().signals_read(learns);
      for (std::size_t s = 0; s < is_read.size(); ++s) {
        if (!is_read[s]) continue;
        const EquationSignalSource& signal = rule->options().signals[s];
        check_signal(*experiment.series, signal, levels[n].layers[m].size,
                     fmt::format("hierarchy.levels[{}].layers[{}].rule.signals.{}", n, m,
                                 signal.name),
                     add);
      }
    }
  }
}

std::string rule_of_cpu(const ExperimentConfig& config) {
  for (const LevelConfig& level : config.hierarchy.levels) {
    for (const LayerConfig& layer : level.layers) {
      const auto* const options = layer.kind.get_if<HebbianOptions>();
      if (options == nullptr) continue;
      const auto* const single = std::get_if<Rule>(&options->rule);
      if (single != nullptr && std::holds_alternative<CustomRule>(*single)) {
        return rule_name(options->rule);
      }
    }
  }
  return {};
}

bool check_sizes(Experiment& experiment, const AddProblem& add) {
  warn_of_learning(experiment);
  std::int64_t below = experiment.features();
  const std::vector<LevelConfig>& levels = experiment.config.hierarchy.levels;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const LevelConfig& level = levels[n];
    const std::string key = fmt::format("hierarchy.levels[{}]", n);
    const auto inputs = pooled_size(level.pooling, level.temporal_resolution, below);
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

}  // namespace gaia
