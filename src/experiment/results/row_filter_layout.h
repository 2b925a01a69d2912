// SPDX-License-Identifier: MIT
/// \file
/// What a results file says of the filter of the rows that were read.
#pragma once

#include "../../io/hdf5.h"
#include "../config/config.h"

namespace gaia {

/// Writes /data/filter and /data/resample with their sections, each of them if the experiment has
/// it.
void write_row_filter(hdf5::Group& data, const DataConfig& config);

}  // namespace gaia
