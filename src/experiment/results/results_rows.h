// SPDX-License-Identifier: MIT
/// \file
/// Rows of the series in a results file: which belong to the first so many steps, and bringing them
/// into another file, such as that of a run that goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "../../io/hdf5.h"

namespace gaia {

/// What a run that goes on has recorded before.
struct Recorded {
  const hdf5::File* file = nullptr;  ///< Its partial file, opened for reading; null: nothing.
  std::int64_t steps = 0;  ///< From which it goes on, of a network epochs; later rows are dropped.
};

/// The file that a run writes to, new and empty: NAME.h5.partial, or, of a run that goes on, one
/// beside it, which open_to_readers will put there.
hdf5::File create_partial(const std::string& result, const Recorded& recorded);

/// Lets readers look on while the file, whose layout is done, grows.  That of a run that goes on is
/// filled by `fill()` first, and is then put in the place of the old one.
void open_to_readers(hdf5::File& file, const std::string& result, const Recorded& recorded,
                     const std::function<void()>& fill);

/// How far a run is: `steps` through all epochs, of a network epochs; and `in_last`, steps of the
/// last epoch, of which alone a hierarchy's series are recorded.
struct StepsDone {
  std::int64_t steps = 0;
  std::int64_t in_last = 0;
};
/// Steps of a results file of which so many are committed.
StepsDone steps_done(const hdf5::File& file, std::int64_t committed);

/// How many rows of the growing series of a group (a level, a readout, /metrics, a history, /data)
/// belong to what is done: by their coordinate `step`, which in /metrics and histories of layers
/// counts steps done; of a network's /history, by `epoch`.  0 without such a coordinate.
std::int64_t rows_within(const hdf5::Group& group, const StepsDone& done);

/// Rows of a growing coordinate, whose values ascend, that are below `limit`.
std::int64_t rows_below(const hdf5::Dataset& coordinate, std::int64_t limit);

/// Copies the rows [0, rows), growing `to` where it can grow.
/// \throws DataError if `from` is of another type or shape, or has fewer rows.
void take_rows(hdf5::Dataset& to, const hdf5::Dataset& from, std::int64_t rows);

/// The same of all rows that `to` has.
void take_whole(hdf5::Dataset& to, const hdf5::Dataset& from);

}  // namespace gaia
