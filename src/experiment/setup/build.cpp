// SPDX-License-Identifier: MIT
#include "build.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../../layers/hierarchy/hebbian.h"
#include "../../layers/hierarchy/reactive.h"
#include "../../layers/hierarchy/temporal.h"

namespace gaia {
namespace {

/// Makes the layer that a config describes.
struct LayerBuilder {
  std::int64_t inputs;
  std::int64_t outputs;
  DType dtype;
  RandomStream random;
  Executor executor;
  bool learn;

  std::unique_ptr<Layer> operator()(const ReactiveConfig& c) const {
    return std::make_unique<ReactiveLayer>(inputs, outputs,
                                           ReactiveOptions{.activation = c.activation,
                                                           .init = c.init,
                                                           .bias = c.bias,
                                                           .dtype = dtype,
                                                           .random = random});
  }

  std::unique_ptr<Layer> operator()(const HebbianConfig& c) const {
    WeightControl control = c.control;
    // It has no effect there, of which the user was told when the experiment was loaded.
    if (control.normalization == Normalization::l2) control.homeostasis.reset();
    return std::make_unique<HebbianLayer>(inputs, outputs,
                                          HebbianOptions{.rule = c.rule,
                                                         .activation = c.activation,
                                                         .init = c.init,
                                                         .control = control,
                                                         .executor = executor,
                                                         .learn = learn,
                                                         .dtype = dtype,
                                                         .random = random});
  }

  std::unique_ptr<Layer> operator()(const TemporalConfig& c) const {
    return std::make_unique<TemporalLayer>(inputs, outputs,
                                           TemporalOptions{.activation = c.activation,
                                                           .init = c.init,
                                                           .leak = c.leak,
                                                           .spectral_radius = c.spectral_radius,
                                                           .bias = c.bias,
                                                           .dtype = dtype,
                                                           .random = random});
  }
};

/// Numbers in the weights of every layer of a level that reads `size` numbers.
std::vector<double> weights_of(const LevelConfig& level, std::int64_t size) {
  std::vector<double> numbers;
  for (const LayerConfig& layer : level.layers) {
    const auto outputs = static_cast<double>(layer.size);
    const bool recurs = std::holds_alternative<TemporalConfig>(layer.kind);
    numbers.push_back(outputs * (static_cast<double>(size) + (recurs ? outputs : 0.0)));
    size = layer.size;
  }
  return numbers;
}

/// For a layer that there is no room for, of what it and the whole hierarchy would need.
std::string shortage(const ExperimentConfig& config, std::int64_t features, std::size_t n,
                     std::size_t m) {
  double here = 0.0;
  double all = 0.0;
  std::int64_t below = features;
  for (std::size_t i = 0; i < config.hierarchy.levels.size(); ++i) {
    const LevelConfig& level = config.hierarchy.levels[i];
    const std::vector<double> numbers = weights_of(level, pooled_size(level, below));
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      all += numbers[k];
      if (i == n && k == m) here = numbers[k];
    }
    below = level.layers.back().size;
  }
  const auto bytes = static_cast<double>(size_of(config.dtype));
  return fmt::format(
      "[hierarchy.levels[{}].layers[{}]] its weights take {}, those of the whole hierarchy {}, a "
      "run about three times that; use smaller sizes",
      n, m, bytes_text(here * bytes), bytes_text(all * bytes));
}

}  // namespace

std::int64_t pooled_size(const LevelConfig& level, std::int64_t below) {
  return TemporalPool(level.pooling, level.temporal_resolution).output_size(below);
}

HierarchyManager build_hierarchy(const ExperimentConfig& config, std::int64_t features) {
  HierarchyManager hierarchy;
  std::int64_t below = features;
  for (std::size_t n = 0; n < config.hierarchy.levels.size(); ++n) {
    const LevelConfig& from = config.hierarchy.levels[n];
    std::int64_t size = pooled_size(from, below);
    HierarchicalLevel level(static_cast<int>(n), size, from.layers.back().size,
                            from.temporal_resolution, {.pooling = from.pooling});
    for (std::size_t m = 0; m < from.layers.size(); ++m) {
      const LayerConfig& layer = from.layers[m];
      const LayerBuilder builder{
          size,
          layer.size,
          config.dtype,
          RandomStream::named(static_cast<std::uint64_t>(config.seed),
                              fmt::format("levels/{}/layers/{}/weights", n, m)),
          config.hierarchy.executor,
          from.learn && layer.learn};
      try {
        level.add_layer(std::visit(builder, layer.kind));
      } catch (const OutOfMemory& error) {
        throw OutOfMemory(shortage(config, features, n, m) + "\n" + error.what());
      }
      size = layer.size;
    }
    below = size;
    hierarchy.add_level(std::move(level));
  }
  return hierarchy;
}

}  // namespace gaia
