// SPDX-License-Identifier: MIT
/// \file
/// Time series in NumPy's .npy files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "array_axes.h"
#include "file_series.h"
#include "missing.h"

namespace gaia {

struct NpyOptions {
  std::vector<std::string> columns = {};  ///< Indices from 0; empty: all.
  MissingPolicy missing = MissingPolicy::error;
  std::int64_t measured = kAllRows;  ///< The first rows, of which the first pass finds moments.
  SideOptions side = {};             ///< Indices from 0; of labels nothing if label_file has them.
  std::string label_file = {};       ///< An NPY file of integers or texts, one a row or a trial.
  std::string group_file = {};       ///< The same of groups.
  ArrayAxes axes = {};
  std::vector<Moments> before = {};  ///< As CsvOptions has it.
};

/// Opens an NPY file, version 1.0 to 3.0, of shape [rows] or [rows, columns], in C or Fortran
/// order (or three axes, as NpyOptions::axes says), of numbers in little-endian order: float32,
/// float64, (u)int8 to (u)int64, bool.  `read` reads the rows asked for; integers beyond 2^53 are
/// rounded to the nearest double, with a warning, but those of labels, times and trials are not.
/// Channels are called by the index of their column.  NaN is a missing value. \throws DataError
/// "file: ..." for a header that is not understood, a file that is shorter or longer than its shape
/// says, infinite numbers, missing values with policy error, a file that cannot be read or that
/// changes; ArgumentError for columns that the file does not have.
std::unique_ptr<FileSeries> open_npy(const std::string& path, const NpyOptions& options = {});

}  // namespace gaia
