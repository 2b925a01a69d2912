// SPDX-License-Identifier: MIT
/// \file
/// Weights of which few are there, and which of them go and come: what plastic layers of a
/// hierarchy (`layers/hierarchy/rewire.h`) and dense layers of a network
/// (`layers/network/rewired_dense.h`) have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "../core/keys.h"

namespace gaia {

/// Sparse evolutionary training (Mocanu et al. 2018, Nat. Commun. 9, 2383): a share `density` of
/// all weights is there; time and again those with the smallest |w| go, and as many others come,
/// with a weight of 0.
struct RewireOptions {
  /// Which weights come.
  enum class By : std::uint8_t {
    random,
    /// Those whose products would move them most: in a plastic layer the largest |sum of y x| since
    /// the last time, y and x of a batch as its mean; in a network the largest |gradient| of this
    /// batch (RigL: Evci et al. 2020, ICML).
    products,
  };
  double density = 0.1;       ///< In (0, 1].
  std::int64_t every = 1000;  ///< Ticks that learn, or optimiser steps; 0: the mask stays as it is.
  By by = By::random;
  double share = 0.1;      ///< Share of those there that move, in [0, 1]; 0: none.
  std::int64_t until = 0;  ///< Ticks or steps after which weights stay; 0: there is no end.

  void keys(ConfigVisitor& v);
  bool operator==(const RewireOptions&) const = default;
};

/// "random" or "products".  \throws ArgumentError for another name.
RewireOptions::By growth_from_name(std::string_view name);

/// \throws ArgumentError for a number out of its range.
void check(const RewireOptions& options);

/// round(share of), at least 1.
std::int64_t rounded_share(double share, std::int64_t of);

/// The `count` of `candidates` with the least keys, of equals those that stand first; `keys` are of
/// all that candidates may be.
std::vector<std::int64_t> least(std::vector<std::int64_t> candidates, std::span<const double> keys,
                                std::int64_t count);

/// Changes which of n weights are there: of those with a 1 in `mask` the `count` with the smallest
/// |w| go, of those with a 0 the `count` with the least `growth` come, of equals those that stand
/// first.  All three are [n]; what goes does not come back at once.  `count` may be larger than the
/// number of those that are missing, and is that number then.
void turn_over(std::span<double> mask, std::span<const double> weights,
               std::span<const double> growth, std::int64_t count);

}  // namespace gaia
