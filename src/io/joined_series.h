// SPDX-License-Identifier: MIT
/// \file
/// One series of several files, and of the trials within them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "file_series.h"
#include "time_check.h"

namespace gaia {

/// Opens one of the files: with its own choice of columns if none are given; `measured` and
/// `before` as CsvOptions has them.
using OpenFile = std::function<std::unique_ptr<FileSeries>(
    const std::string& path, const std::vector<std::string>& columns, std::int64_t measured,
    const std::vector<Moments>& before)>;

/// The rows of the files one after the other, each file one trial or more; `columns` are those that
/// were asked for, `gaps` tells what to do about those in the times.  Every file stays open.
/// \throws DataError for files that do not fit each other, with the file and the column, for times
/// that do not increase, and for gaps that are refused; and what `open` throws.
std::unique_ptr<Series> open_files(const std::vector<std::string>& paths,
                                   const std::vector<std::string>& columns, std::int64_t measured,
                                   const OpenFile& open, GapPolicy gaps = GapPolicy::warn);

}  // namespace gaia
