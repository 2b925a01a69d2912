// SPDX-License-Identifier: MIT
#include "top_down_checks.h"

#include <fmt/format.h>

#include "../../layers/hierarchy/hebbian.h"

namespace gaia {
namespace {

const TopDownOptions* top_down_of(const LayerConfig& layer) {
  const auto* const options = layer.kind.get_if<HebbianOptions>();
  return options != nullptr && options->top_down ? &*options->top_down : nullptr;
}

void check_connection(const HierarchyConfig& hierarchy, std::size_t level, std::size_t layer,
                      const TopDownOptions& top_down, const AddProblem& add) {
  const std::string key = fmt::format("hierarchy.levels[{}].layers[{}].top_down", level, layer);
  const std::size_t layers = hierarchy.levels[level].layers.size();
  const std::size_t levels = hierarchy.levels.size();
  if (layer + 1 < layers) {
    add(key, fmt::format("the last layer of a level alone can hear a level above; write it into "
                         "layers[{}]",
                         layers - 1));
  }
  if (top_down.from <= static_cast<std::int64_t>(level) ||
      top_down.from >= static_cast<std::int64_t>(levels)) {
    add(key + ".from",
        level + 1 == levels
            ? fmt::format("there is no level above the last one, {}, from which it could hear",
                          level)
            : fmt::format("expected a level above level {}, {} to {}, got {}", level, level + 1,
                          levels - 1, top_down.from));
  }
  PlasticityRule rule = top_down.rule_of_map();
  const auto* const text = std::get_if<EquationRule>(&rule);
  const bool is_scheduled = hierarchy.schedule.kind != RateSchedule::Kind::none;
  if (text != nullptr && is_scheduled && !top_down.random && text->parameter("rate") == nullptr) {
    add(key + ".rule.parameters",
        "hierarchy.schedule makes the parameter `rate` fall, which these equations have not");
  }
}

}  // namespace

void check_top_down(const ExperimentConfig& config, const AddProblem& add) {
  const HierarchyConfig& hierarchy = config.hierarchy();
  for (std::size_t n = 0; n < hierarchy.levels.size(); ++n) {
    for (std::size_t m = 0; m < hierarchy.levels[n].layers.size(); ++m) {
      const TopDownOptions* const top_down = top_down_of(hierarchy.levels[n].layers[m]);
      if (top_down != nullptr) check_connection(hierarchy, n, m, *top_down, add);
    }
  }
}

std::vector<LayerSignal> signals_of_top_down(const LayerConfig& layer) {
  const TopDownOptions* const top_down = top_down_of(layer);
  std::vector<LayerSignal> signals;
  if (top_down == nullptr || top_down->random) return signals;
  if (!top_down->target.empty()) {
    signals.push_back(
        {{.name = "target", .columns = top_down->target, .is_list = top_down->target.size() > 1},
         "top_down.target"});
  }
  const PlasticityRule rule = top_down->rule_of_map();
  const auto* const text = std::get_if<EquationRule>(&rule);
  if (text == nullptr) return signals;
  for (const EquationSignalSource& signal : text->options().signals) {
    if (!top_down->quantity_of(signal).empty()) continue;
    signals.push_back({signal, "top_down.rule.signals." + signal.name});
  }
  return signals;
}

}  // namespace gaia
