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
  std::string layer;      ///< "hierarchy.levels[0].layers[1]"
  std::int64_t from = 0;  ///< The level that sends.
  std::string as = {};    ///< "gain", "bias" or "prior".
  std::string rule;       ///< Rule of its map; "random" where that is not learnt.
  bool in_blocks = true;  ///< Whether many ticks are computed at once, else tick by tick.
  std::string pace = {};  ///< Sentence on that choice, its reason and its cost.

  /// "hears level 1 as gain, its map by delta; in blocks, ...".
  std::string text() const;
};

std::vector<TalkEstimate> talks_of(const HierarchyManager& hierarchy);

}  // namespace gaia
