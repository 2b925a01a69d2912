// SPDX-License-Identifier: MIT
/// \file
/// /readouts/NAME/free_run in a results file.
#pragma once

#include "../../io/hdf5.h"
#include "../readouts/free_run.h"

namespace gaia {

/// Writes the group `free_run` below that of a readout, or of one of its controls, whose targets
/// are the readout's.
void write_free_run(hdf5::Group& group, const FreeRun::Table& table, bool is_control);

}  // namespace gaia
