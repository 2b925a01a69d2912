// SPDX-License-Identifier: MIT
/// \file
/// What is reported of the fields of a CSV file that cannot be used, with the way out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "columns.h"
#include "csv_number.h"
#include "csv_records.h"

namespace gaia {

/// The decimal mark that a file does not have.
inline char other_decimal(char decimal) { return decimal == '.' ? ',' : '.'; }

/// "point" or "comma".
const char* name_of_decimal(char decimal);

/// What to do where numbers have the other decimal mark.
std::string decimal_hint(char decimal);

/// What to do with a column of this name whose text is a date; "" where it is none.
std::string date_hint(const std::string& name, std::string_view text);

/// \throws DataError unless the record has `width` fields.
void check_csv_length(const CsvRecords& records, std::size_t width, char decimal);

/// What is known of a file when one of its fields cannot be used.
struct CsvCellFacts {
  bool is_asked = false;  ///< The columns that are read were asked for.
  bool has_time = false;
};

/// Refuses a field of the record, of the column `name`, that is no number.
[[noreturn]] void fail_csv_cell(const CsvRecords& records, const std::string& name,
                                std::size_t field, const Cell& cell, char decimal,
                                const CsvCellFacts& facts);

}  // namespace gaia
