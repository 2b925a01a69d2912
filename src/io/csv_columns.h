// SPDX-License-Identifier: MIT
/// \file
/// The columns of a CSV file, as they are looked at when it is opened: which hold numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "columns.h"
#include "csv_header.h"
#include "csv_number.h"
#include "missing.h"

namespace gaia {

/// A column that is looked at when the file is opened.
struct CsvColumn {
  enum class Kind { unknown, numbers, text };

  std::size_t index = 0;
  Gaps gaps;
  Kind kind = Kind::unknown;
  bool counts_rows = true;  // from 0 or 1 on, as long as it can be an index of pandas or R
  std::int64_t first_count = 0;
  bool is_rounded = false;  ///< A value is a whole number beyond 2^53.
  // Counts and places in a column of text, which may be one of numbers with text in its first row:
  std::int64_t texts = 0;
  std::int64_t numbers = 0;
  std::int64_t first_line = 0;
  std::string first_text = {};
  std::int64_t first_other_line = 0;
  std::string first_other = {};  // first number with the other decimal mark

  /// Takes the value of row `row`: whether the column still counts the rows.
  void note_count(std::int64_t row, double value) {
    if (row == 0) first_count = value == 1.0 ? 1 : 0;
    counts_rows = counts_rows && value == static_cast<double>(first_count + row);
  }
  /// Takes a field of a column that has begun with text, in line `line`.
  void note_text(std::string_view text, const Cell& cell, std::int64_t line, char decimal);
};

/// What is known of the file when all of its rows have been seen.
struct CsvTable {
  const std::string& path;
  const CsvHeader& header;
  char decimal = '.';
  std::int64_t rows = 0;
  bool has_side = false;  ///< Keys name columns that no level reads,
  bool has_time = false;  ///< one of them the time.
};

/// Leaves the columns of numbers, with warnings of what is left out.  \throws DataError where there
/// are none, or one that begins with text is no column of text.
void choose_numeric(const CsvTable& table, std::vector<CsvColumn>& columns);

}  // namespace gaia
