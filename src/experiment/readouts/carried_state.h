// SPDX-License-Identifier: MIT
/// \file
/// What a hierarchy that does not learn carries from step to step, as part of a state.
#pragma once

#include <cstdint>
#include <string>

#include "../../array/array_map.h"
#include "../../hierarchy/manager.h"

namespace gaia {

/// Everything from which the hierarchy goes on, copied to the host.
ArrayMap copied_state(const HierarchyManager& hierarchy);

/// Adds what the hierarchy carries, but its weights, copied to the host, under names that begin
/// with `prefix`.
void add_carried_state(const HierarchyManager& hierarchy, const std::string& prefix,
                       ArrayMap& arrays);

/// Makes the hierarchy, with the weights that it has, stand before step `step` with what
/// add_carried_state has added there.  \throws ArgumentError or ShapeError unless it was that of
/// such a hierarchy.
void set_carried_state(HierarchyManager& hierarchy, const std::string& prefix,
                       const ArrayMap& arrays, std::int64_t step);

/// Forgets what the hierarchy carries, and makes room for it as for a series of samples of
/// `features` numbers.
void forget_carried_state(HierarchyManager& hierarchy, std::int64_t features, DType dtype);

}  // namespace gaia
