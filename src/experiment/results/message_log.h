// SPDX-License-Identifier: MIT
/// \file
/// What levels have told each other, in a results file and in the state of a run.
#pragma once

#include "../../array/array_map.h"
#include "../../hierarchy/messages.h"
#include "../../io/hdf5.h"

namespace gaia {

/// Writes /levels/N/messages of every level of a hierarchy whose levels are numbered 0, 1, ...; the
/// time that they took is not in it.  docs/results.md describes it.
void write_messages(hdf5::File& file, const Messages& messages, const HierarchyManager& hierarchy,
                    DType dtype);

/// Adds what was kept and counted, under names that begin with "messages/".
void add_messages_state(const Messages& messages, ArrayMap& arrays);
/// Takes it over.  \throws ArgumentError or ShapeError unless it was that of such levels.
void set_messages_state(Messages& messages, const ArrayMap& arrays);

}  // namespace gaia
