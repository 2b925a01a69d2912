// SPDX-License-Identifier: MIT
/// \file
/// Hierarchies of one structure side by side: seeds, rates, series.
///
///     std::vector<HierarchyManager> replicas;
///     for (const double rate : {0.001, 0.01, 0.1}) replicas.push_back(make_hierarchy(rate));
///     auto made = process_replicas(replicas, data, -1, {.learn = true});
///     made.at(0).ticks;                                    // [3, steps, n]
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../core/error.h"
#include "manager.h"

namespace gaia {

/// Does for each of `replicas` what its process_hierarchy does, but for all of them together: on a
/// GPU a plastic layer of all replicas learns in one launch, which takes little longer than that of
/// one as long as the chip has room.
///
/// Replicas have the same levels, layers, kinds of rule and control, and stand at the same step;
/// weights, state, and the numbers of rules and controls are their own.
///
/// data [T, F]: all read the same series; [R, T, F]: each its own; [R, B, T, F]: each a batch.
/// Returns what process_hierarchy does with an axis of replicas before the others: ticks
/// [R, ticks, n], or [R, B, ticks, n]; before [R, n], or [R, B, n].
///
/// The results are those of each alone, bit for bit; but where the chunkwise executor chooses
/// matrix products because of the number of replicas (docs/gpu.md), within rounding.
///
/// Observers see the blocks of their own hierarchy.
///
/// \throws ArgumentError naming the replica, the level and what is different; ShapeError if data
///         does not fit; DivergedError, naming the replica, as process_hierarchy.
std::map<int, LevelRepresentation> process_replicas(std::span<HierarchyManager> replicas,
                                                    const Array& data, std::int64_t steps = -1,
                                                    const ProcessOptions& options = {});
/// All rows of data.
inline std::map<int, LevelRepresentation> process_replicas(std::span<HierarchyManager> replicas,
                                                           const Array& data,
                                                           const ProcessOptions& options) {
  return process_replicas(replicas, data, -1, options);
}

/// What keeps `other` from being a replica of `first`, such as "has 2 levels, not 3"; empty if
/// nothing does.
std::string why_not_replica(const HierarchyManager& first, const HierarchyManager& other);

/// What one of several hierarchies computed for a block.
struct ReplicaBlock {
  HierarchyBlock block;
  std::optional<DivergedError> diverged;  ///< Divergence that check_finite found, if any.
};

/// Does for each of `replicas` what its process_block does, but for all of them together, as
/// process_replicas: x is [R, T, F], or [R B, T, F] for batches.  Signals are [steps] for all, or
/// [R B, steps].  One that diverges does not change the others.
/// \throws ArgumentError, ShapeError as process_replicas.
std::vector<ReplicaBlock> process_block_of_replicas(std::span<HierarchyManager* const> replicas,
                                                    const Array& x,
                                                    const ProcessOptions& options = {});

}  // namespace gaia
