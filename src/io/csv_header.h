// SPDX-License-Identifier: MIT
/// \file
/// The first line of a CSV file: names, or numbers already.
#pragma once

#include <string>
#include <vector>

#include "csv_records.h"

namespace gaia {

struct CsvHeader {
  std::vector<std::string> names;   ///< Names of the fields; indices where there are none.
  CsvRecords::Place data;           ///< Place where the first row begins.
  bool has_nameless_first = false;  ///< "Unnamed: 0" is no name, but how pandas reads none.
};

/// Reads the first line, and warns where it may be what it is not taken for.  `path` begins
/// messages.  \throws DataError for a file without rows, for names that are not UTF-8, for a line
/// of numbers in another notation, and for comments.
CsvHeader read_csv_header(CsvRecords& records, const std::string& path, char decimal);

/// Whether the record is a comment in other dialects; '#' alone is a name.
bool begins_as_comment(const CsvRecords& records);

/// Refuses numbers that spaces separate, as NumPy's savetxt writes them.
void check_csv_separator(const CsvRecords& records, char decimal);

}  // namespace gaia
