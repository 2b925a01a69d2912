// SPDX-License-Identifier: MIT
/// \file
/// Rows of the series in a results file: which belong to the first so many steps, and bringing them
/// into another file.
#pragma once

#include <cstdint>

#include "../io/hdf5.h"

namespace gaia {

/// How many rows of the growing series of a group (a level, a readout, /metrics, a history, /data)
/// belong to the first `steps` steps: by their coordinate `step`, which in /metrics and histories
/// of weights counts steps done; of a network's /history, by `epoch`.  0 without such a coordinate.
std::int64_t rows_within(const hdf5::Group& group, std::int64_t steps);

/// Copies the rows [0, rows) of the dataset that has the same path in `from`, growing `to` where it
/// can grow.  \throws DataError if it is not there, of another type or shape, or has fewer rows.
void take_rows(hdf5::Dataset& to, const hdf5::Group& from, std::int64_t rows);

/// The same of all rows that `to` has.
void take_whole(hdf5::Dataset& to, const hdf5::Group& from);

}  // namespace gaia
