// SPDX-License-Identifier: MIT
#include "get_config.h"

#include <algorithm>
#include <optional>

#include "../../core/message.h"
#include "../../core/names.h"
#include "../../layers/hierarchy/hebbian.h"
#include "../../layers/hierarchy/layer_kind.h"
#include "../../layers/hierarchy/predictive.h"
#include "../../learning/rule_list.h"
#include "../config/config_writer.h"

namespace gaia {
namespace {

/// What a plastic layer was built with that an experiment has no key for.
void check_options(const HebbianOptions& options, int level, std::size_t layer) {
  if (options.chunk != HebbianOptions{.random = {}}.chunk) {
    fail<ArgumentError>(
        "[get_config] level {}, layer {}: an experiment has chunks of {} ticks, got {}", level,
        layer, HebbianOptions{.random = {}}.chunk, options.chunk);
  }
  if (std::holds_alternative<EquationRule>(options.rule)) return;
  const std::vector<std::string> known = rule_names();
  const std::string name = rule_name(options.rule);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    fail<ArgumentError>(
        "[get_config] level {}, layer {}: the rule {} is a program, which no experiment has; an "
        "EquationRule can be written",
        level, layer, name);
  }
}

}  // namespace

LevelConfig config_of(const HierarchicalLevel& level) {
  if (level.options().held_until_first != LevelOptions::UntilFirst::zeros) {
    fail<ArgumentError>(
        "[get_config] level {}: an experiment shows zeros before the first tick, and this level "
        "refuses to be read (held_until_first)",
        level.id());
  }
  LevelConfig made{
      .temporal_resolution = level.temporal_resolution(), .options = level.options(), .layers = {}};
  for (std::size_t m = 0; m < level.layer_count(); ++m) {
    const Layer& layer = level.layer(m);
    std::unique_ptr<LayerKind> kind = layer.kind();
    if (kind == nullptr) {
      fail<ArgumentError>(
          "[get_config] level {}, layer {}: an experiment has no layers of type {}; known: {}",
          level.id(), m, layer.type(), join(LayerKind::list().names()));
    }
    LayerConfig& config = made.layers.emplace_back();
    config.size = layer.output_size();
    config.kind = Kind<LayerKind>(std::move(kind));
    if (const HebbianOptions* const options = config.kind->hebbian()) {
      check_options(*options, level.id(), m);
      config.learn = options->learn;
    } else if (const auto* const stack = config.kind.get_if<PredictiveOptions>()) {
      config.learn = stack->learn;
    } else if (const auto filter = config.kind->filter_place()) {
      config.learn = filter->learn;
    }
  }
  return made;
}

HierarchyConfig config_of(const HierarchyManager& hierarchy) {
  if (hierarchy.levels().empty()) {
    throw ArgumentError("[get_config] expected a hierarchy with levels, got none; use add_level");
  }
  HierarchyConfig made;
  std::optional<Executor> executor;
  for (const HierarchicalLevel& level : hierarchy.levels()) {
    made.levels.push_back(config_of(level));
    for (const LayerConfig& layer : made.levels.back().layers) {
      const HebbianOptions* const options = layer.kind->hebbian();
      const auto* const stack = layer.kind.get_if<PredictiveOptions>();
      if (options == nullptr && stack == nullptr) continue;
      const Executor its = options != nullptr ? options->executor : stack->executor;
      if (executor.value_or(its) != its) {
        throw ArgumentError(
            "[get_config] layers have several executors, and an experiment has one for all");
      }
      executor = its;
    }
  }
  made.executor = executor.value_or(made.executor);
  return made;
}

std::string get_config(const HierarchyManager& hierarchy) { return to_yaml(config_of(hierarchy)); }

}  // namespace gaia
