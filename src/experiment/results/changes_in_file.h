// SPDX-License-Identifier: MIT
/// \file
/// /readouts/NAME/changes in a results file.
#pragma once

#include <vector>

#include "../../io/hdf5.h"
#include "../readouts/readout.h"

namespace gaia {

/// Writes the changes that a readout has reported as the group `changes`, which is left out where
/// there was none, and how many they are.
void write_changes(hdf5::Group& readout, const std::vector<Readout::Change>& changes);

}  // namespace gaia
