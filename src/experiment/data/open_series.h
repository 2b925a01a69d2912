// SPDX-License-Identifier: MIT
/// \file
/// Opens the series of data.source: file, in files of any kind or in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../io/memory_series.h"
#include "../../io/series.h"
#include "../config/config.h"

namespace gaia {

/// Opens the series in the files at `paths`, as `file`, whose own paths are of no meaning, says;
/// files that it names beside them lie in `folder`.  The first pass over them finds the moments of
/// so many rows.  Null for a file of no known kind.  \throws DataError for content that cannot be
/// used, ArgumentError for a dataset or columns that it does not have, DataKeyError for what other
/// keys name.
std::unique_ptr<Series> open_series_files(const std::vector<std::string>& paths,
                                          const FileConfig& file, const std::string& folder,
                                          std::int64_t measured = 0);
/// The same of rows in memory.  A time that came with them is then named in `file`.
std::unique_ptr<Series> open_series_rows(std::shared_ptr<const MemoryRows> rows, FileConfig& file,
                                         std::int64_t measured = 0);
/// The same of one file.
std::unique_ptr<Series> open_series_file(const std::string& path, const FileConfig& file,
                                         std::int64_t measured = 0);

/// Counts the events of the list at `path`; those of data.targets stand beside the channels that
/// the levels read.  Tells the `warnings` how many events are not counted.  \throws as EventSeries
/// and select_channels.
std::unique_ptr<Series> open_event_series(const std::string& path, const EventsConfig& events,
                                          std::vector<std::string>& warnings);

}  // namespace gaia
