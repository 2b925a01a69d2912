// SPDX-License-Identifier: MIT
/// \file
/// The records of a CSV file and their fields.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input_file.h"

namespace gaia {

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

  char separator() const { return separator_; }
  /// The place where the next record begins.
  Place place_ahead() const { return next_; }
  /// The whole lines that come next, with their ends, as far as they lie in about `bytes` bytes;
  /// none where a line is longer or the file's last one has no end.  They stay until the next call.
  std::string_view lines_ahead(std::size_t bytes);
  /// Goes past the first `count` of them, which have `bytes` bytes and are a record each.
  void skip_lines(std::size_t bytes, std::int64_t count);

  /// Makes `next` go to the record that begins there, which is read again only if it must.
  void seek(Place place);

  /// \throws DataError "file:line: message", or "file:line:field: message" for a field from 1.
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail(std::size_t field, const std::string& message) const;

 private:
  static constexpr int kEnd = -1;
  static constexpr std::size_t kPiece = std::size_t{1}
                                        << 16;  // bytes that are read together, at least

  /// Byte i of the record, kEnd behind the end of the file.
  int peek(std::size_t i) {
    if (begin_ + i >= filled_ && !refill(i)) return kEnd;
    return static_cast<unsigned char>(buffer_[begin_ + i]);
  }
  bool refill(std::size_t i);
  void read_more(std::size_t bytes);
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
