// SPDX-License-Identifier: MIT
#include "filter_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "../../formulas/pooling.h"
#include "../../layers/hierarchy/plastic_conv.h"

namespace gaia {
namespace {

/// Numbers that the first layer of a level reads; nothing where these are too many to count.
std::optional<std::int64_t> inputs_of(const LevelConfig& level, std::int64_t below) {
  return pooled_size(level.options.pooling, level.temporal_resolution, below,
                     level.options.legendre);
}

/// Calls visit(level, layer, inputs of that layer) for all layers, as far as sizes are known.
template <class Levels, class Visit>
void for_each_layer(Levels& levels, std::int64_t features, const Visit& visit) {
  std::int64_t below = features;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const auto inputs = inputs_of(levels[n], below);
    if (!inputs) return;  // which is reported elsewhere
    std::int64_t size = *inputs;
    for (std::size_t m = 0; m < levels[n].layers.size(); ++m) {
      if (size < 1) return;
      visit(n, m, size);
      size = levels[n].layers[m].size;
    }
    below = size;
  }
}

/// Why noise of the layer never adapts, where it is to; empty if it may.
std::string why_idle(const HierarchyConfig& hierarchy, const LevelConfig& level,
                     const LayerConfig& layer) {
  if (!hierarchy.learn) return "nothing learns (hierarchy.learn: false)";
  if (hierarchy.freeze_after == 0) return "nothing learns (hierarchy.freeze_after: 0)";
  if (!level.options.learn) return "its level does not learn (learn: false)";
  return layer.learn ? "" : "the layer does not learn (learn: false)";
}

/// Tells what is wrong with a layer; where that begins with the key that it is about, as in
/// "[kalman] Q: expected", of that key.
void add_problem(const std::string& layer, const std::string& why, const AddProblem& add) {
  constexpr std::string_view of_keys =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]";
  const std::size_t begin = why.starts_with('[') ? why.find("] ") : std::string::npos;
  const std::size_t end = begin == std::string::npos ? begin : why.find(": ", begin + 2);
  if (end == std::string::npos) return add(layer, why);
  const std::string key = why.substr(begin + 2, end - begin - 2);
  if (key.find_first_not_of(of_keys) != std::string::npos) return add(layer, why);
  add(layer + "." + key, why.substr(end + 2));
}

void check_missing(const Experiment& experiment, const AddProblem& add) {
  const ExperimentConfig& config = experiment.config;
  if (!config.data.keeps_missing()) return;
  const bool by_faults = leaves_missing(config.data.faults);
  const char* const key = by_faults ? "data.faults" : "data.missing";
  const char* const leaves = by_faults ? "shows: missing" : "keep";
  const char* const instead = by_faults ? "write shows: last" : "use hold";
  const LevelConfig& level = config.hierarchy().levels.front();
  const LayerConfig& layer = level.layers.front();
  if (!layer.kind->filter_place()) {
    add(key,
        fmt::format("{} leaves values missing, which a layer that filters can do without (type: "
                    "kalman and others), and level 0 begins with one of type {}; {}, or let "
                    "level 0 begin with a filter",
                    leaves, layer.kind->name(), instead));
  }
  if (level.options.pooling == Pooling::ema) {
    add(key,
        fmt::format("{} leaves values missing, and level 0 pools by ema, which would never get "
                    "rid of one; use another pooling, by which a number is missing where one of "
                    "its steps is, or {}",
                    leaves, instead));
  }
  for (std::size_t i = 0; i < config.readouts.size(); ++i) {
    if (config.readouts[i].task() != ReadoutTask::anomaly) continue;
    add(key,
        fmt::format("{} leaves values missing, and readout '{}' judges the rows themselves; {}",
                    leaves, config.readouts[i].name, instead));
  }
}

}  // namespace

void size_layers(std::vector<LevelConfig>& levels, std::int64_t features,
                 const std::vector<std::int64_t>& picture) {
  std::vector<std::int64_t> shape = picture;
  if (shape.size() == 2) shape.push_back(1);
  for_each_layer(levels, features, [&](std::size_t n, std::size_t m, std::int64_t inputs) {
    LayerConfig& layer = levels[n].layers[m];
    const Pooling pooling = levels[n].options.pooling;
    if (m == 0 && (pooling == Pooling::concat || pooling == Pooling::legendre)) shape.clear();
    auto* const patches = layer.kind.get_if<PlasticConvOptions>();
    if (patches != nullptr && patches->shape.empty()) patches->shape = shape;
    shape = patches == nullptr ? std::vector<std::int64_t>() : patches->output_shape();
    if (const auto size = layer.kind->own_size(inputs)) layer.size = *size;
  });
}

void check_filters(Experiment& experiment, const AddProblem& add) {
  const ExperimentConfig& config = experiment.config;
  const HierarchyConfig& hierarchy = config.hierarchy();
  check_missing(experiment, add);
  std::vector<std::size_t> filters(hierarchy.levels.size());  // count of filters of each level
  for_each_layer(
      hierarchy.levels, experiment.features(),
      [&](std::size_t n, std::size_t m, std::int64_t inputs) {
        const LevelConfig& level = hierarchy.levels[n];
        const LayerConfig& layer = level.layers[m];
        const auto place = layer.kind->filter_place();
        const std::string key = fmt::format("hierarchy.levels[{}].layers[{}]", n, m);
        if (const std::string why_not = layer.kind->why_not(inputs); !why_not.empty()) {
          add_problem(key, why_not, add);
        }
        if (!place) return;
        if (++filters[n] == 2) {
          add(key,
              "a level has one layer that filters, and this is its second; give it a level of its "
              "own, which reads this one");
        }
        const Recording& recording = config.output.representations;
        if (place->smooth && (recording.what != Recording::What::all || recording.every != 1)) {
          add(key + ".smooth",
              "what is smoothed are the ticks that are recorded, all of them; write "
              "output.representations: all");
        }
        if (place->adapts == AdaptedNoise::none) return;
        if (const std::string why = why_idle(hierarchy, level, layer);
            !why.empty() && !experiment.from) {
          experiment.warnings.push_back(
              fmt::format("{}.adapt: the noise stays as it is given, since {}", key, why));
        }
      });
}

}  // namespace gaia
