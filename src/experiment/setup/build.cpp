// SPDX-License-Identifier: MIT
#include "build.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../core/text.h"

namespace gaia {
namespace {

/// Numbers in the weights of every layer of a level that reads `size` numbers.
std::vector<double> weights_of(const LevelConfig& level, std::int64_t size) {
  std::vector<double> numbers;
  for (const LayerConfig& layer : level.layers) {
    numbers.push_back(
        layer.kind->weights(static_cast<double>(size), static_cast<double>(layer.size)));
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
  for (std::size_t i = 0; i < config.hierarchy().levels.size(); ++i) {
    const LevelConfig& level = config.hierarchy().levels[i];
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
  return TemporalPool(level.options.pooling, level.temporal_resolution, level.options.legendre,
                      level.options.phase)
      .output_size(below);
}

RandomStream weights_stream(std::int64_t seed, std::size_t level, std::size_t layer) {
  return RandomStream::named(static_cast<std::uint64_t>(seed),
                             fmt::format("levels/{}/layers/{}/weights", level, layer));
}

HierarchyManager build_hierarchy(const ExperimentConfig& config, std::int64_t features) {
  HierarchyManager hierarchy;
  std::int64_t below = features;
  for (std::size_t n = 0; n < config.hierarchy().levels.size(); ++n) {
    const LevelConfig& from = config.hierarchy().levels[n];
    std::int64_t size = pooled_size(from, below);
    std::int64_t read = size;
    for (std::size_t m = 0; m < from.layers.size(); read = from.layers[m++].size) {
      if (from.layers[m].size > 0) continue;
      throw ArgumentError(fmt::format("[hierarchy.levels[{}].layers[{}]] has no size: {}", n, m,
                                      from.layers[m].kind->why_not(read)));
    }
    HierarchicalLevel level(static_cast<int>(n), size, from.layers.back().size,
                            from.temporal_resolution, from.options);
    for (std::size_t m = 0; m < from.layers.size(); ++m) {
      const LayerConfig& layer = from.layers[m];
      const LayerPlace place{.inputs = size,
                             .outputs = layer.size,
                             .dtype = config.dtype,
                             .random = weights_stream(config.seed, n, m),
                             .executor = config.hierarchy().executor,
                             .learn = from.options.learn && layer.learn};
      try {
        level.add_layer(layer.kind->make(place));
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
