// SPDX-License-Identifier: MIT
/// \file
/// Hierarchies that are measured: level n ticks every 2^n steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../src/hierarchy/manager.h"
#include "../src/layers/hierarchy/hebbian.h"

namespace gaia::bench {

struct Levels {
  std::vector<std::int64_t> sizes;  ///< Inputs, then the outputs of each level.
  std::int64_t steps;
  bool first_learns;  ///< Else the first level is reactive.
  bool learn;
  std::optional<Rule> rule;
  DType dtype;
  /// Homeostasis beside l2, where it cancels; anyone who writes out all formulas computes it.
  std::optional<Homeostasis> homeostasis = std::nullopt;
};

inline bool is_reactive(const Levels& levels, std::size_t n) {
  return n == 0 && !levels.first_learns;
}

/// On the current device; the weights of a seed are the same on every one.
HierarchyManager make_hierarchy(const Levels& levels, std::uint64_t seed = 42);

}  // namespace gaia::bench
