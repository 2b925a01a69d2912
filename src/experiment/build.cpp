// SPDX-License-Identifier: MIT
#include "build.h"

#include <fmt/format.h>

#include "../layers/hebbian.h"
#include "../layers/reactive.h"
#include "../layers/temporal.h"

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
      level.add_layer(std::visit(builder, layer.kind));
      size = layer.size;
    }
    below = size;
    hierarchy.add_level(std::move(level));
  }
  return hierarchy;
}

}  // namespace gaia
