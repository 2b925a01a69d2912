// SPDX-License-Identifier: MIT
#include "random_map_control.h"

namespace gaia {

std::string RandomMapControl::why_left_out(const ControlSetup& setup,
                                           const ReadoutConfig& /*readout*/) {
  for (const HierarchicalLevel& level : setup.hierarchy.levels()) {
    if (level.hears() && !level.layer(level.layer_count() - 1).top_down()->random) return {};
  }
  return "the run's own maps are random";
}

}  // namespace gaia
