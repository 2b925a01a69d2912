// SPDX-License-Identifier: MIT
/// \file
/// Which levels of a hierarchy hear others, and what that costs: for `gaia check`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../hierarchy/manager.h"

namespace gaia {

/// A connection from a level above.
struct TalkEstimate {
  std::string layer;       ///< "hierarchy.levels[0].layers[1]"
  std::int64_t from = 0;   ///< The level that sends.
  std::string as;          ///< "gain", "bias" or "prior".
  std::string rule;        ///< Of its map; "random" where that is not learnt.
  /// Ticks of the level that are computed together at most, since its own text reads td; 0: as many
  /// as without the connection.
  std::int64_t block_ticks = 0;

  /// "hears level 1 as gain, its map by delta; in whole blocks, since ...".
  std::string text() const;
};

std::vector<TalkEstimate> talks_of(const HierarchyManager& hierarchy);

}  // namespace gaia
