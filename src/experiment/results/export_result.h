// SPDX-License-Identifier: MIT
/// \file
/// Ways out of a results file: its datasets as CSV, as NumPy's arrays, or all in one archive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gaia {

enum class ExportFormat : std::uint8_t {
  csv,  ///< A table for each dataset, with the step and the time of every line.
  npy,  ///< An array for each dataset.
  npz,  ///< All of them as arrays in one archive, by their paths.
};

/// "csv", "npy" or "npz".  \throws ArgumentError for another.
ExportFormat export_format(const std::string& name);

struct ExportOptions {
  ExportFormat format = ExportFormat::csv;
  /// Paths, "/levels/0/representation"; empty: all that can be exported.
  std::vector<std::string> datasets = {};
  /// The file, of several datasets as CSV or NPY the folder of the files; empty: beside the result,
  /// RESULT.npz, RESULT.levels.0.representation.csv, or the folder RESULT.csv.d.
  std::string output = {};
  bool overwrite = false;
};

struct Exported {
  std::vector<std::string> files;     ///< Files that were written.
  std::vector<std::string> refusals;  ///< Datasets that were left out of all, each with the reason.
};

/// Writes datasets of a results file, a few rows at a time, each file aside and renamed when it is
/// whole.
///
/// CSV: a line for the names, then one for each step.  Before the numbers stand the coordinates of
/// all axes but the last, `time` beside `step` where it is known, dates as ISO 8601 in UTC.  An
/// array of three axes or more has a line for each place along all but the last.  Numbers are the
/// shortest that read back as they were, NaN, inf and -inf.
///
/// NPY, NPZ: little-endian, in C order, of the dtype that the file has; texts as <U.  Members of an
/// archive are not packed, and are called as numpy.load gives them: levels/0/representation.
///
/// \throws ConfigError if there is no such file, ArgumentError for a dataset that it has not, a
///         group, or files of one name; DataError for a file that cannot be read or a dataset that
///         cannot be exported; OutputError for a file that is there or cannot be written.
Exported export_result(const std::string& result, const ExportOptions& options);

}  // namespace gaia
