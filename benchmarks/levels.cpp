// SPDX-License-Identifier: MIT
#include "levels.h"

#include <utility>

#include "../src/layers/hierarchy/reactive.h"

namespace gaia::bench {

HierarchyManager make_hierarchy(const Levels& levels, std::uint64_t seed) {
  HierarchyManager hierarchy;
  for (std::size_t n = 0; n + 1 < levels.sizes.size(); ++n) {
    const std::int64_t inputs = levels.sizes[n];
    const std::int64_t outputs = levels.sizes[n + 1];
    const RandomStream random{seed, n};
    HierarchicalLevel level(static_cast<int>(n), inputs, outputs, std::int64_t{1} << n);
    if (is_reactive(levels, n)) {
      level.add_layer(ReactiveLayer(inputs, outputs, {.dtype = levels.dtype, .random = random}));
    } else {
      // Rows of length one keep every rule in its working range.
      level.add_layer(HebbianLayer(
          inputs, outputs,
          {.rule = levels.rule.value_or(OjaRule{}),
           .control = {.homeostasis = levels.homeostasis, .normalization = Normalization::l2},
           .dtype = levels.dtype,
           .random = random}));
    }
    hierarchy.add_level(std::move(level));
  }
  return hierarchy;
}

}  // namespace gaia::bench
