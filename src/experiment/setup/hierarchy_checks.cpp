// SPDX-License-Identifier: MIT
#include "hierarchy_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>


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
