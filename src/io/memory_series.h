// SPDX-License-Identifier: MIT
/// \file
/// Rows in memory as a series: what a program has at hand, read as a file of the same numbers would
/// be.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../array/array.h"
#include "file_options.h"
#include "table_series.h"

namespace gaia {

/// The integers of a column as they are; of unsigned ones the bits.  Where the table has NaN, one
/// is missing.
struct WideColumn {
  std::size_t column = 0;
  Wide kind = Wide::signed64;
  std::vector<std::int64_t> values = {};
};

/// A table in memory that stands in place of a file of data.
struct MemoryRows {
  /// [rows, columns], or trials as data.trials.axes says, [trial, time, channel] where it does not;
  /// float32 or float64, on the CPU; NaN where a value is missing.  It is not copied, and is not to
  /// be changed while an experiment reads it.
  Array table;
  std::vector<std::string> columns = {};  ///< Their names; empty: "0", "1", ...
  std::string name = "memory";            ///< What messages and results call it.
  /// When each row was taken, or each of those of every trial: numbers, or nanoseconds since 1970
  /// of dates, and what they are called.
  std::optional<SideValues> times = {};
  std::string times_name = "time";
  bool times_count = false;  ///< Whole times are numbers, no dates.
  /// Columns of texts, by name, one text a row or a trial of an array, "" where there is none;
  /// data.labels, data.trials and data.groups may name them.
  std::vector<std::pair<std::string, std::vector<std::string>>> texts = {};
  /// Columns of the table that are integers of which it has rounded some.
  std::vector<WideColumn> wide = {};
  /// Columns of numbers beside an array of trials, by name, one a trial; data.targets names some.
  std::vector<std::pair<std::string, std::vector<double>>> of_trials = {};
};

/// Opens the rows.  The hash is that of the table as an NPY file, written by rows, followed by the
/// integers that it has rounded.
/// \throws DataError for a table that is none or content that cannot be used, ArgumentError for
///         columns that it does not have, DataKeyError for what other keys name.
std::unique_ptr<FileSeries> open_memory(std::shared_ptr<const MemoryRows> rows,
                                        const FileOptions& options = {});

}  // namespace gaia
