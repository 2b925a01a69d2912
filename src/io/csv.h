// SPDX-License-Identifier: MIT
/// \file
/// Time series in text files: one row a line, one column a channel.
#pragma once

#include <memory>
#include <string>

#include "file_options.h"

namespace gaia {

/// Opens a CSV file, reading it once to check it; `read` goes through it again, and the whole is
/// never in memory.
///
/// - UTF-8, with or without a byte order mark; LF or CRLF; fields separated by commas, semicolons
///   or tabs and quoted as in RFC 4180 (CsvRecords has the details); all records of the same
///   length.  Empty lines may follow the last row.  In a file with one column an empty line between
///   others is a missing value.
/// - The first line is a header if any of its fields is neither a number nor missing.  There are no
///   comments.  Columns
///   without a name are called by their index.
/// - Numbers have the decimal point or comma that is asked for; infinite numbers are refused. Empty
/// fields, NA,
///   N/A, NaN, nan and null are missing values.
/// - A column holds numbers if its first field that is not missing is one, or most of them are; all
///   others have to be, then.  Columns of text may be there but not be asked for.  A column without
///   any value is an error, but for a nameless last one: it is what separators at the ends of lines
///   make.  Numbers in another notation (way_to_write() in csv_number.h) are an error in a column
///   of numbers, the first field included.
/// - If no columns are asked for, a first one without a name (or called "Unnamed: 0") that counts
///   the rows from 0 or 1 is left out with a warning: an index of pandas or R.
/// - Of the side columns, times are numbers or dates (parse_date()), the first cell tells which;
///   targets are numbers, NaN where missing; labels are any text that why_no_class() has nothing
///   against, numbers that are whole count as integers, "1.0" as "1", and a missing one has no
///   class.
///
/// \throws DataError "file:line: ..." or "file:line:field: ..." for content that breaks these
/// rules, for missing values with policy error, for a file that cannot be read or that changes;
/// ArgumentError for columns that the file does not have.
std::unique_ptr<FileSeries> open_csv(const std::string& path, const FileOptions& options = {});

}  // namespace gaia
