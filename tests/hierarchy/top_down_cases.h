// SPDX-License-Identifier: MIT
/// \file
/// Hierarchies of levels that hear a level above, and data for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "../../src/array/ops.h"
#include "../../src/array/random_arrays.h"
#include "../../src/hierarchy/manager.h"
#include "../reference/rows.h"
#include "../support/catch.h"
#include "top_down_reference.h"

namespace gaia::test {

using As = TopDownOptions::As;

/// Parts of a case; level `levels` - 1 sends to level 0, and of four the last to level 1 too.
struct TopDownCase {
  As as = As::gain;
  std::size_t levels = 2;
  std::int64_t resolution = 4;  ///< Resolution of the level that sends.
  std::int64_t delay = 1;
  std::int64_t streams = 1;
  bool bias = true;
  bool target_of_each = false;  ///< A column for each neuron.
  Activation activation = Activation::linear;
  bool by_text = false;  ///< Level 0 learns by text_rule().

  std::string text() const {
    return to_string(as) + ", " + std::to_string(levels) + " levels, resolution " +
           std::to_string(resolution) + ", delay " + std::to_string(delay) + ", " +
           std::to_string(streams) + " streams, " + to_string(activation) +
           (by_text ? ", by a text" : "");
  }
};

/// What TopDownReferenceLevel::by_text says.
inline EquationRule text_rule() {
  return EquationRule(
      "y = z*(1 + td) + 0.3*plain - 0.2*a\n"
      "a = a + (y - a)/10\n"
      "dw = rate*y*(x - y*w)",
      {.parameters = {{"rate", 0.02}}, .hears_above = true});
}

inline constexpr std::int64_t kFeatures = 5;
inline constexpr std::int64_t kNeurons = 4;

inline std::int64_t neurons_of(std::size_t level) { return kNeurons - (level == 0 ? 0 : 1); }
inline std::int64_t resolution_of(const TopDownCase& one, std::size_t level) {
  return level == 0                ? 1
         : level + 1 == one.levels ? one.resolution
                                   : std::min<std::int64_t>(2, one.resolution);
}
inline double rate_of(std::size_t level) { return level == 0 ? 0.02 : 0.05; }
inline constexpr double kRateOfMap = 0.03;

inline std::optional<TopDownOptions> top_down_of(const TopDownCase& one, std::size_t level) {
  const bool second = one.levels == 4 && level == 1;
  if (level != 0 && !second) return std::nullopt;
  TopDownOptions options{.from = static_cast<std::int64_t>(one.levels) - 1,
                         .as = second ? As::bias : one.as,
                         .learning_rate = kRateOfMap,
                         .delay = one.delay,
                         .bias = one.bias};
  if (options.as == As::gain) options.target = {"wish"};
  if (options.as == As::gain && one.target_of_each) {
    options.target = {"wish0", "wish1", "wish2", "wish3"};
  }
  return options;
}

inline Activation activation_of(const TopDownCase& one, std::size_t level) {
  return level == 0 ? one.activation : Activation::linear;
}

inline PlasticityRule rule_of(const TopDownCase& one, std::size_t level) {
  if (one.by_text && level == 0) return text_rule();
  return OjaRule{.learning_rate = rate_of(level)};
}

inline HierarchyManager hierarchy_of(const TopDownCase& one, std::uint64_t seed = 3,
                                     DType dtype = DType::float64) {
  HierarchyManager hierarchy;
  std::int64_t below = kFeatures;
  for (std::size_t l = 0; l < one.levels; ++l) {
    HierarchicalLevel level(static_cast<int>(l), below, neurons_of(l), resolution_of(one, l),
                            {.pooling = Pooling::mean});
    level.add_layer(HebbianLayer(below, neurons_of(l),
                                 {.rule = rule_of(one, l),
                                  .activation = activation_of(one, l),
                                  .chunk = 8,
                                  .top_down = top_down_of(one, l),
                                  .dtype = dtype,
                                  .random = {seed, l}}));
    hierarchy.add_level(std::move(level));
    below = neurons_of(l);
  }
  return hierarchy;
}

inline Array weights_of(HierarchyManager& hierarchy, std::size_t level) {
  return hierarchy.arrays(static_cast<int>(level), 0).front().value;
}

struct TopDownData {
  Array x;  ///< [streams, steps, features]
  TickSignals signals;
};

inline TopDownData data_of(const TopDownCase& one, std::int64_t steps, std::uint64_t seed = 1) {
  TopDownData data;
  data.x = random_normal({one.streams, steps, kFeatures}, 0.3, 1.0, DType::float64, {seed, 0});
  for (const std::string name : {"wish", "wish0", "wish1", "wish2", "wish3"}) {
    data.signals[name] = random_normal({one.streams, steps}, 0.5, 1.0, DType::float64,
                                       RandomStream::named(seed, name));
  }
  return data;
}

inline TopDownData part(const TopDownData& data, std::int64_t first, std::int64_t end) {
  TopDownData some{data.x.slice(1, first, end), {}};
  for (const auto& [name, values] : data.signals) some.signals[name] = values.slice(1, first, end);
  return some;
}

/// The largest difference, relative to the largest number or 1.
inline double apart(const Rows& a, const Rows& b) {
  REQUIRE(a.size() == b.size());
  double largest = 1.0;
  double difference = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].size() == b[i].size());
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      largest = std::max(largest, std::abs(a[i][j]));
      difference = std::max(difference, std::abs(a[i][j] - b[i][j]));
      if (std::isnan(a[i][j]) || std::isnan(b[i][j])) difference = INFINITY;
    }
  }
  return difference / largest;
}

}  // namespace gaia::test
