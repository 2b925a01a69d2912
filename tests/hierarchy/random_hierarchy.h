// SPDX-License-Identifier: MIT
/// \file
/// Small hierarchies drawn at random, each with its reference.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/hierarchy/manager.h"
#include "../reference/hierarchy_reference.h"

namespace gaia::test {

/// Integers and choices from a stream of random numbers.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(RandomStream::named(seed, "dice")) {}
  std::int64_t below(std::int64_t n) { return random_.integer(next_++, n); }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool coin() { return below(2) == 1; }
  template <class T>
  T of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(below(static_cast<std::int64_t>(choices.size())))];
  }
  RandomStream stream() { return {random_.seed, static_cast<std::uint64_t>(next_++)}; }

 private:
  RandomStream random_;
  std::uint64_t next_ = 0;
};

/// A hierarchy and what it should do.  The same seed gives the same hierarchy.
struct RandomHierarchy {
  HierarchyManager hierarchy;
  HierarchyReference reference;
  std::string description;
  std::int64_t features = 0;
  Array data;  ///< [streams, steps, features]

  explicit RandomHierarchy(std::uint64_t seed) : dice_(seed) {
    features = dice_.between(1, 4);
    const std::int64_t streams = dice_.of<std::int64_t>({1, 1, 2, 3});
    const std::int64_t steps = dice_.between(20, 60);
    data = random_normal({streams, steps, features}, 0.2, 1.0, DType::float64, dice_.stream());
    description = std::to_string(streams) + " streams, " + std::to_string(steps) + " steps";
    const std::int64_t levels = dice_.between(1, 3);
    std::int64_t below = features;
    for (std::int64_t i = 0; i < levels; ++i) below = add_level(static_cast<int>(i), below);
  }

  HebbianLayer& hebbian(int level, std::size_t layer) {
    return dynamic_cast<HebbianLayer&>(hierarchy.level(level).layer(layer));
  }

  /// Which layers learn: level and place.
  std::vector<std::pair<int, std::size_t>> plastic;

 private:
  std::int64_t add_level(int id, std::int64_t below) {
    const std::int64_t resolution = dice_.of<std::int64_t>({1, 2, 3, 4, 5, 7});
    const Pooling pooling = dice_.of<Pooling>(
        {Pooling::last, Pooling::mean, Pooling::max, Pooling::ema, Pooling::concat});
    const std::int64_t input = pooling == Pooling::concat ? resolution * below : below;
    const std::int64_t layers = dice_.between(0, 2);
    const std::int64_t output = layers == 0 ? input : dice_.between(1, 5);
    description +=
        "; level of resolution " + std::to_string(resolution) + ", pooling " + to_string(pooling);
    HierarchicalLevel level(id, input, output, resolution, {.pooling = pooling});
    reference.levels.emplace_back(resolution, pooling, static_cast<std::size_t>(output));
    std::int64_t size = input;
    for (std::int64_t k = 0; k < layers; ++k) {
      const std::int64_t next = k + 1 == layers ? output : dice_.between(1, 5);
      add_layer(level, size, next);
      size = next;
    }
    hierarchy.add_level(std::move(level));
    return output;
  }

  void add_layer(HierarchicalLevel& level, std::int64_t inputs, std::int64_t outputs) {
    LevelReference& twin = reference.levels.back();
    const std::int64_t kind = dice_.below(4);
    const Activation activation = dice_.of(std::vector(kActivations.begin(), kActivations.end()));
    if (kind == 0) {
      ReactiveLayer layer(inputs, outputs,
                          {.activation = activation,
                           .bias = 0.1,
                           .dtype = DType::float64,
                           .random = dice_.stream()});
      twin.add_layer(reference_of(layer));
      description += ", reactive " + to_string(activation);
      level.add_layer(std::move(layer));
    } else if (kind == 1) {
      const TemporalOptions options{.activation = Activation::tanh,
                                    .leak = dice_.coin() ? 1.0 : 0.4,
                                    .bias = -0.1,
                                    .dtype = DType::float64,
                                    .random = dice_.stream()};
      TemporalLayer layer(inputs, outputs, options);
      twin.add_layer(reference_of(layer, options));
      description += ", temporal";
      level.add_layer(std::move(layer));
    } else {
      HebbianLayer layer(inputs, outputs, plastic_options(activation));
      twin.add_layer(reference_of(layer));
      description += ", " + rule_name(layer.plasticity().rule) + " " + to_string(activation) + " " +
                     to_string(layer.plasticity().control.normalization) + " chunk " +
                     std::to_string(layer.plasticity().chunk);
      plastic.emplace_back(level.id(), level.layer_count());
      level.add_layer(std::move(layer));
    }
  }

  HebbianOptions plastic_options(Activation activation) {
    // Rates at which a few dozen ticks change weights visibly, but nothing diverges.
    const PlasticityRule rule = dice_.of<PlasticityRule>(
        {HebbRule{.learning_rate = 0.005, .decay = 0.01}, OjaRule{.learning_rate = 0.02},
         BcmRule{.learning_rate = 0.003, .decay = 0.002, .tau = 8.0, .theta = 0.7},
         SangerRule{.learning_rate = 0.02, .decay = 0.001},
         OjaSubspaceRule{.learning_rate = 0.02, .decay = 0.001}});
    WeightControl control;
    control.normalization =
        dice_.of<Normalization>({Normalization::none, Normalization::l2, Normalization::max_norm});
    control.bound = 0.8;
    if (control.normalization != Normalization::l2 && dice_.coin()) {
      control.homeostasis = Homeostasis{.target = 0.3, .strength = 0.01};
    }
    return {.rule = rule,
            .activation = activation,
            .init = Init::xavier,
            .control = control,
            .executor = dice_.coin() ? Executor::stepwise : Executor::chunkwise,
            .chunk = dice_.between(1, 40),
            .dtype = DType::float64,
            .random = dice_.stream()};
  }

  Dice dice_;
};

/// max |a - b| / max(1, |b|); infinite where something is not finite or shapes differ.
inline double distance(const Array& a, const Array& b) {
  if (!(a.shape() == b.shape())) return INFINITY;
  const std::vector<double> x = a.to_vector<double>();
  const std::vector<double> y = b.to_vector<double>();
  double result = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) return INFINITY;
    result = std::max(result, std::abs(x[i] - y[i]) / std::max(1.0, std::abs(y[i])));
  }
  return result;
}

}  // namespace gaia::test
