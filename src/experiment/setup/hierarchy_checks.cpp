// SPDX-License-Identifier: MIT
#include "hierarchy_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "../../core/names.h"
#include "../../layers/hierarchy/hebbian.h"
#include "readout.h"

namespace gaia {
namespace {

constexpr std::int64_t kMostInputs = 100000000;

/// A readout needs something to train on and something to predict.
void check_ticks(const Experiment& experiment, const ReadoutConfig& readout, const std::string& key,
                 const AddProblem& add) {
  const std::vector<LevelConfig>& levels = experiment.config.hierarchy.levels;
  std::int64_t spacing = 0;
  for (const std::int64_t index : readout.levels) {
    if (index >= static_cast<std::int64_t>(levels.size())) return;
    const std::int64_t resolution = levels[static_cast<std::size_t>(index)].temporal_resolution;
    spacing = spacing == 0 ? resolution : std::min(spacing, resolution);
  }
  if (spacing == 0) return;
  const Recording& recording = experiment.config.output.representations;
  if (recording.what == Recording::What::every) spacing *= recording.every;
  if (!readout.learn) return;
  const ReadoutTicks ticks = readout_ticks(readout, experiment.steps, spacing);
  if (ticks.trained() < 2 || ticks.predicted() < 2) {
    add(key, fmt::format("{} steps, {} ahead, give {} ticks to train on and {} to predict; at "
                         "least 2 of each are needed",
                         experiment.steps, readout.horizon, ticks.trained(), ticks.predicted()));
  }
}

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

void check_readouts(const ExperimentConfig& config, const AddProblem& add) {
  std::set<std::string> names;
  const auto levels = static_cast<std::int64_t>(config.hierarchy.levels.size());
  for (std::size_t i = 0; i < config.readouts.size(); ++i) {
    const ReadoutConfig& readout = config.readouts[i];
    const std::string key = fmt::format("readouts[{}]", i);
    if (!readout.name.empty() && !names.insert(readout.name).second) {
      add(key + ".name", "there is another readout '" + readout.name + "'");
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

void check_targets(const Experiment& experiment, const AddProblem& add) {
  const Series& series = *experiment.series;
  for (std::size_t i = 0; i < experiment.config.readouts.size(); ++i) {
    const ReadoutConfig& readout = experiment.config.readouts[i];
    const std::int64_t known = readout.of_latent ? series.latents() : series.channels();
    const char* what = readout.of_latent ? "latent" : "channel";
    const std::string key = fmt::format("readouts[{}]", i);
    // Of one that is only applied the targets need not be known.
    const bool may_lack = !readout.learn && readout.of_latent && known == 0;
    if (readout.target >= known && !may_lack) {
      add(fmt::format("{}.target.{}", key, what),
          known == 0
              ? "this series has no latents"
              : fmt::format("there is no {} {}; known: 0 to {}", what, readout.target, known - 1));
    }
    if (experiment.steps > 0) check_ticks(experiment, readout, key, add);
  }
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
