// SPDX-License-Identifier: MIT
#include "block_steps.h"

#include <algorithm>

namespace gaia {

std::int64_t choose_block_steps(const HierarchyManager& hierarchy, std::int64_t features,
                                std::int64_t steps, bool learn) {
  constexpr double operations = 1e9;  // about a tenth of a second
  constexpr double numbers = 4e6;     // in all representations of a block
  constexpr std::int64_t most = 16384;
  constexpr std::int64_t least = 16;
  double per_step = static_cast<double>(features);
  for (const HierarchicalLevel& level : hierarchy.levels()) {
    per_step +=
        static_cast<double>(level.output_size()) / static_cast<double>(level.temporal_resolution());
  }
  const double wanted = std::min(operations / std::max(1.0, hierarchy.operations_per_step(learn)),
                                 numbers / per_step);
  // A short run is still cut, so that there is something to see of it.
  const std::int64_t share = std::max<std::int64_t>(256, steps / 32);
  const auto limit = std::min({most, share, static_cast<std::int64_t>(std::min(wanted, 1e9))});
  std::int64_t block = least;
  while (block * 2 <= limit) block *= 2;
  return block;
}

}  // namespace gaia
