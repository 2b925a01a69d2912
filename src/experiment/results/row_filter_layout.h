// SPDX-License-Identifier: MIT
/// \file
/// What a results file says of the filter of the rows that were read.
#pragma once

#include "../../io/hdf5.h"
#include "../config/config.h"

namespace gaia {

/// /data/filter and /data/resample with their sections; nothing of what the experiment does not
/// have.
void write_row_filter(hdf5::Group& data, const DataConfig& config);

}  // namespace gaia
