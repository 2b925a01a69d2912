// SPDX-License-Identifier: MIT
/// \file
/// What can be chosen about a level, beside its sizes and its layers.
#pragma once

#include "../core/keys.h"
#include "../formulas/pooling.h"

namespace gaia {

struct LevelOptions {
  Pooling pooling = Pooling::last;
  /// What a level shows before its first tick.
  enum class UntilFirst {
    zeros,
    refuse,  ///< Reading it throws Error.
  };
  UntilFirst held_until_first = UntilFirst::zeros;
  bool learn = true;  ///< Whether its layers learn where the hierarchy does.

  /// The keys that an experiment has for them.
  void keys(ConfigVisitor& v) {
    v.choice({"pooling", "what the level reads from the steps between its ticks"},
             choice_of(pooling_names(), pooling, pooling_from_name));
    v.flag({"learn", "whether the level learns where the hierarchy does"}, learn);
  }

  friend bool operator==(const LevelOptions&, const LevelOptions&) = default;
};

}  // namespace gaia
