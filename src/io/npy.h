// SPDX-License-Identifier: MIT
/// \file
/// Time series in NumPy's .npy files.
#pragma once

#include <memory>
#include <string>

#include "file_options.h"

namespace gaia {

/// Opens an NPY file, version 1.0 to 3.0, of shape [rows] or [rows, columns], in C or Fortran
/// order (or three axes, as FileOptions::axes says), of numbers in little-endian order: float32,
/// float64, (u)int8 to (u)int64, bool.  `read` reads the rows asked for; integers beyond 2^53 are
/// rounded to the nearest double, with a warning, but those of labels, times and trials are not.
/// Channels are called by the index of their column.  NaN is a missing value. \throws DataError
/// "file: ..." for a header that is not understood, a file that is shorter or longer than its shape
/// says, infinite numbers, missing values with policy error, a file that cannot be read or that
/// changes; ArgumentError for columns that the file does not have.
std::unique_ptr<FileSeries> open_npy(const std::string& path, const FileOptions& options = {});

}  // namespace gaia
