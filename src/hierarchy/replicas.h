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
#include <span>

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

}  // namespace gaia
