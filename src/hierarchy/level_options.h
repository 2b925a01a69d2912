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
  std::int64_t legendre = 1;  ///< Numbers that Pooling::legendre makes of a window.
  /// The level ticks at the steps t with (t - phase) % temporal_resolution == 0.
  std::int64_t phase = 0;
  bool learn = true;  ///< Whether its layers learn where the hierarchy does.

  /// The keys that an experiment has for them.
  void keys(ConfigVisitor& v) {
    v.word_or_map(
        {"pooling", "what the level reads from the steps between its ticks"},
        {pooling_names(), [&] { return pooling == Pooling::legendre ? "map" : to_string(pooling); },
         [&](const std::string& word) {
           pooling = word == "map" ? Pooling::legendre : pooling_from_name(word);
         }},
        "map", [&] {
          v.integer({"legendre",
                     "numbers that are made of a window, by as many discrete Legendre "
                     "polynomials; at most temporal_resolution",
                     true},
                    legendre, {1, 1000000000});
        });
    v.integer({"phase", "the step of the first tick, below temporal_resolution"}, phase,
              {0, 999999999});
    v.flag({"learn", "whether the level learns where the hierarchy does"}, learn);
  }

  friend bool operator==(const LevelOptions&, const LevelOptions&) = default;
};

}  // namespace gaia
