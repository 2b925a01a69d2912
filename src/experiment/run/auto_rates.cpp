// SPDX-License-Identifier: MIT
#include "auto_rates.h"

#include <fmt/format.h>

#include <cmath>

#include "../../core/error.h"
#include "../../core/log.h"
#include "../../core/text.h"
#include "../../formulas/representable.h"
#include "../../layers/hierarchy/hebbian.h"
#include "../setup/build.h"
#include "rates.h"

namespace gaia {
namespace {

/// Of the largest stable rate: far enough below it for samples that are larger than the mean.
constexpr double kShare = 0.1;

/// The options of a layer whose rate is to be found; null for all others.
HebbianOptions* unsettled(ExperimentConfig& config, std::size_t level, std::size_t layer) {
  Kind<LayerKind>& kind = config.hierarchy.levels[level].layers[layer].kind;
  auto* const options = kind.get_if<HebbianOptions>();
  const bool is_open =
      options != nullptr && options->automatic_rate && learning_rate_of(options->rule) == 0.0;
  return is_open ? options : nullptr;
}

/// Calls `body` with level, layer and options of each.
template <class Body>
void for_each_unsettled(ExperimentConfig& config, const Body& body) {
  for (std::size_t n = 0; n < config.hierarchy.levels.size(); ++n) {
    for (std::size_t m = 0; m < config.hierarchy.levels[n].layers.size(); ++m) {
      if (HebbianOptions* const options = unsettled(config, n, m)) body(n, m, *options);
    }
  }
}

std::string key_of(std::size_t level, std::size_t layer) {
  return fmt::format("hierarchy.levels[{}].layers[{}].learning_rate", level, layer);
}

/// What every plastic layer reads, also those that do not learn in this run.
std::vector<LayerRate> measure_all(Experiment& experiment) {
  ExperimentConfig config = experiment.config;
  for (LevelConfig& level : config.hierarchy.levels) {
    level.learn = true;
    for (LayerConfig& layer : level.layers) layer.learn = true;
  }
  const GPUContext scope(Device::cpu());
  HierarchyManager hierarchy = build_hierarchy(config, experiment.features());
  if (experiment.from) load_learnt(experiment.from->path, config, hierarchy);
  SampleReader samples(*experiment.series, config.data, experiment.trials, config.dtype, {}, false);
  return measure_rates(hierarchy, samples);
}

}  // namespace

void settle_rates(Experiment& experiment) {
  ExperimentConfig& config = experiment.config;
  bool any = false;
  for_each_unsettled(config, [&](std::size_t, std::size_t, HebbianOptions&) { any = true; });
  if (!any) return;
  for (const LayerRate& measured : measure_all(experiment)) {
    HebbianOptions* const options = unsettled(config, measured.level, measured.layer);
    if (options == nullptr) continue;
    const double limit = stability_limit(options->rule).value();  // hierarchy_checks.cpp saw to it
    const double rate = kShare * limit / measured.mean_square;
    const std::string key = key_of(measured.level, measured.layer);
    const std::string input =
        fmt::format("the mean |x|^2 of the layer's input is {:.4g} over the first {} ticks",
                    measured.mean_square, grouped(measured.ticks));
    if (!(rate > 0.0) || !std::isfinite(rate) ||
        !why_not_representable(rate, config.dtype).empty()) {
      throw ConfigError(key + ": auto finds no rate: " + input + "; write a number");
    }
    learning_rate_of(options->rule) = rate;
    log_info(fmt::format("{}: auto is {}, {} of the limit of {}: {}", key, number_text(rate),
                         number_text(kShare), measured.rule, input));
  }
}

void take_rates(ExperimentConfig& config, const hdf5::File& results) {
  for_each_unsettled(config, [&](std::size_t n, std::size_t m, HebbianOptions& options) {
    const std::string path = fmt::format("levels/{}/layers/{}", n, m);
    const auto rate = results.open_group(path).number_attribute("learning_rate");
    if (!rate || !(*rate > 0.0) || !std::isfinite(*rate)) {
      throw DataError(
          fmt::format("{}: /{} has no learning_rate above 0, with which its run has "
                      "learnt",
                      results.place().file, path));
    }
    learning_rate_of(options.rule) = *rate;
  });
}

}  // namespace gaia
