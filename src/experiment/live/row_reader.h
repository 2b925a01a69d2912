// SPDX-License-Identifier: MIT
/// \file
/// Rows of a stream from bytes, as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json_row.h"
#include "line_cutter.h"
#include "row_fields.h"
#include "row_format.h"

namespace gaia {

/// Reads rows in CSV with a header, or in NDJSON (an object a line); the same rows however the
/// bytes are cut.
///
///     RowReader reader({.columns = stream.columns()});
///     reader.feed("flow,pressure\n1.5,");
///     reader.feed("2\n");
///     while (const RowLine* line = reader.next()) ...
///
/// Both are UTF-8, with or without a byte order mark; lines end with LF or CRLF and hold at most
/// kMostBytes.  In CSV a row is a line, so that a quote without an end spoils one row and no more;
/// tabs, semicolons or commas separate fields, by whichever the header has all columns, and they
/// mean they mean in a file (csv_records.h).
class RowReader {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  /// `format`: if not given, NDJSON where the first line begins with a brace, else CSV.  `source`
  /// begins the messages of a header.
  explicit RowReader(const RowNames& names, std::optional<RowFormat> format = {},
                     std::string source = "stdin");
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  void feed(std::string_view bytes) { lines_.feed(bytes); }
  /// No bytes come any more.
  void finish() { lines_.finish(); }
  /// The next line but for the header, valid until the next call; null where bytes are wanting.
  /// \throws DataError for a header that cannot be used.
  const RowLine* next();

  /// Format of the rows, known once the first line has been read (of CSV: the header).
  std::optional<RowFormat> format() const { return is_begun_ ? format_ : std::nullopt; }
  /// Sentences on names that are not read, each reported once.
  std::vector<std::string> take_warnings();

 private:
  bool begin(std::string_view text);
  void read_header(std::string_view text);
  std::string read_names(std::string_view text);
  void read_row(std::string_view text);
  std::string read_cells(std::string_view text);
  std::string split(std::string_view text);
  bool is_blank(std::string_view text) const;
  void note_unknown(const std::string& name);
  [[noreturn]] void fail(const std::string& message) const;

  RowNames names_;
  RowFields fields_;
  JsonRow json_;
  std::optional<RowFormat> format_;
  std::string source_;
  LineCutter lines_;
  bool is_begun_ = false;
  RowLine line_;

  char separator_ = ',';
  std::vector<std::string_view> cells_;
  std::string unquoted_;             // what cells with doubled quotes lie in
  std::vector<std::size_t> places_;  // field of each column of the header

  std::vector<std::string> unknown_;  // names that have been reported
  std::vector<std::string> warnings_;
};

}  // namespace gaia
