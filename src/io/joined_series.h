// SPDX-License-Identifier: MIT
/// \file
/// One series of several files, and of the trials within them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "file_options.h"
#include "time_check.h"

namespace gaia {

/// Opens one of the files, with its own choice of columns if none are given.
using OpenFile =
    std::function<std::unique_ptr<FileSeries>(const std::string& path, const FileOptions& options)>;

/// The rows of the files one after the other, each file one trial or more, as `options` asks for
/// the whole; `gaps` tells what to do about those in the times.  Every file stays open.
/// \throws DataError for files that do not fit each other, with the file and the column, for times
/// that do not increase, and for gaps that are refused; and what `open` throws.
std::unique_ptr<Series> open_files(const std::vector<std::string>& paths, FileOptions options,
                                   const OpenFile& open, GapPolicy gaps = GapPolicy::warn);

}  // namespace gaia
