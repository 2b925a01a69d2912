// SPDX-License-Identifier: MIT
/// \file
/// The text of a CSV file: records, fields, and what a field means.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input_file.h"

namespace gaia {

enum class CellKind { number, missing, infinite, out_of_range, text };

struct Cell {
  CellKind kind = CellKind::missing;
  double value = 0.0;  ///< NaN where missing.
};

/// Decimal numbers as C++ writes them in any locale, "+" allowed, with `decimal` where that has a
/// point.  Missing: nothing, NA, N/A, NaN, nan, null.  Out of range: too large for a double, or not
/// 0 but too small.
Cell parse_cell(std::string_view text, char decimal = '.');

inline bool is_number(std::string_view text, char decimal) {
  return parse_cell(text, decimal).kind == CellKind::number;
}

/// How to write a number so that parse_cell() takes it, where it is one in another notation: with
/// separators of thousands, D for the exponent's E, %, the sign of a currency, or another sign for
/// the minus.  Empty for everything else.
std::string way_to_write(std::string_view text, char decimal = '.');

/// Records of a file one by one (RFC 4180): fields between separators, in double quotes where they
/// hold separators, quotes (doubled) or ends of lines.  Lines end with LF or CRLF.  Blanks around a
/// field are not part of it.  Only a piece of the file is held in memory.
///
/// The first line decides what separates: a tab if it has one outside quotes, else a semicolon,
/// else a comma, unless that is for decimals.
class CsvRecords {
 public:
  /// Longest record.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  static constexpr std::size_t kMostFields = 100000;

  /// The place where a record begins.
  struct Place {
    std::int64_t offset = 0;
    std::int64_t line = 1;
  };

  /// `decimal` sets off the decimals of numbers.
  explicit CsvRecords(const InputFile& file, char decimal = '.');

  /// Goes to the next record; false at the end.  \throws DataError for what is no CSV.
  bool next();

  /// The record's fields, until the next call.
  std::span<const std::string_view> fields() const { return fields_; }
  /// Nothing but blanks.
  bool is_blank() const { return is_blank_; }
  /// The place where the record begins.
  Place place() const { return place_; }

  /// Makes `next` go to the record that begins there, which is read again only if it must.
  void seek(Place place);

  /// \throws DataError "file:line: message", or "file:line:field: message" for a field from 1.
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail(std::size_t field, const std::string& message) const;

 private:
  static constexpr int kEnd = -1;

  /// Byte i of the record, kEnd behind the end of the file.
  int peek(std::size_t i) {
    if (begin_ + i >= filled_ && !refill(i)) return kEnd;
    return static_cast<unsigned char>(buffer_[begin_ + i]);
  }
  bool refill(std::size_t i);
  bool is_blank_char(int c) const { return c == ' ' || (c == '\t' && c != separator_); }
  [[noreturn]] void fail_length() const;
  void detect_separator(char decimal);
  bool split_plain_line();
  std::size_t skip_blanks(std::size_t i);
  std::size_t read_quoted(std::size_t i);
  std::size_t read_plain(std::size_t i);
  bool ends_line(std::size_t i);

  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  const InputFile& file_;
  char separator_ = ',';
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // begin of the record in the buffer
  std::size_t filled_ = 0;   // end of what has been read, in the buffer
  std::int64_t offset_ = 0;  // place of the buffer's end in the file
  bool is_altered_ = false;  // the buffer, so that it is not what the file holds
  Place place_;
  Place next_;
  bool is_blank_ = false;
  std::vector<Range> ranges_;  // ranges of the fields, from begin_ on
  std::vector<std::string_view> fields_;
};

}  // namespace gaia
