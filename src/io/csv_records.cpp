// SPDX-License-Identifier: MIT
#include "csv_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "../core/error.h"

namespace gaia {

CsvRecords::CsvRecords(const InputFile& file, char decimal) : file_(file) {
  if (peek(0) == 0xef && peek(1) == 0xbb && peek(2) == 0xbf) {
    next_.offset = 3;
  }
  const int first = peek(0);
  const int second = peek(1);
  if ((first == 0xff && second == 0xfe) || (first == 0xfe && second == 0xff)) {
    fail("expected text in UTF-8, got UTF-16");
  }
  detect_separator(decimal);
}

bool CsvRecords::next() {
  begin_ += static_cast<std::size_t>(next_.offset - place_.offset);
  place_ = next_;
  ranges_.clear();
  fields_.clear();
  if (split_plain_line()) return true;
  if (peek(0) == kEnd) return false;
  is_blank_ = false;
  for (std::size_t i = 0;;) {
    i = skip_blanks(i);
    const bool is_quoted = peek(i) == '"';
    i = is_quoted ? read_quoted(i) : read_plain(i);
    if (ranges_.size() > kMostFields) {
      fail(fmt::format("expected at most {} fields, got more", kMostFields));
    }
    if (peek(i) == separator_) {
      ++i;
      continue;
    }
    is_blank_ = !is_quoted && ranges_.size() == 1 && ranges_[0].begin == ranges_[0].end;
    if (peek(i) == '\r') ++i;
    if (peek(i) == '\n') {
      ++i;
      ++next_.line;
    }
    if (i > kMostBytes) fail_length();
    next_.offset += static_cast<std::int64_t>(i);
    break;
  }
  for (const Range& range : ranges_) {
    fields_.emplace_back(buffer_.data() + begin_ + range.begin, range.end - range.begin);
  }
  return true;
}

/// Takes a record that is a line without quotes, as most are, if the buffer holds it; false where
/// it has to be looked at byte by byte, of which nothing is taken.
bool CsvRecords::split_plain_line() {
  if (begin_ >= filled_) return false;
  const char* const begin = buffer_.data() + begin_;
  const auto find = [](const char* from, const char* to, char what) {
    return static_cast<const char*>(std::memchr(from, what, static_cast<std::size_t>(to - from)));
  };
  const char* const feed = find(begin, buffer_.data() + filled_, '\n');
  if (feed == nullptr || feed - begin >= static_cast<std::ptrdiff_t>(kMostBytes)) return false;
  const char* const end = feed != begin && feed[-1] == '\r' ? feed - 1 : feed;
  for (const char odd : {'"', '\r', '\0'}) {
    if (find(begin, end, odd) != nullptr) return false;
  }
  for (const char* at = begin;; ++at) {
    const char* const separator = find(at, end, separator_);
    const char* first = at;
    const char* last = at = separator == nullptr ? end : separator;
    while (first != last && is_blank_char(*first)) ++first;
    while (first != last && is_blank_char(last[-1])) --last;
    fields_.emplace_back(first, static_cast<std::size_t>(last - first));
    if (separator == nullptr) break;
    if (fields_.size() >= kMostFields) {
      fields_.clear();
      return false;
    }
  }
  is_blank_ = fields_.size() == 1 && fields_[0].empty();
  ++next_.line;
  next_.offset += feed + 1 - begin;
  return true;
}

void CsvRecords::seek(Place place) {
  const std::int64_t back = offset_ - place.offset;
  if (!is_altered_ && back >= 0 && back <= static_cast<std::int64_t>(filled_)) {
    begin_ = filled_ - static_cast<std::size_t>(back);
  } else {
    begin_ = 0;
    filled_ = 0;
    is_altered_ = false;
    offset_ = place.offset;
  }
  place_ = place;
  next_ = place;
}

void CsvRecords::fail(const std::string& message) const {
  throw DataError(fmt::format("{}:{}: {}", file_.path(), place_.line, message));
}

void CsvRecords::fail(std::size_t field, const std::string& message) const {
  throw DataError(fmt::format("{}:{}:{}: {}", file_.path(), place_.line, field, message));
}

std::string_view CsvRecords::lines_ahead(std::size_t bytes) {
  begin_ += static_cast<std::size_t>(next_.offset - place_.offset);
  place_ = next_;
  fields_.clear();
  const std::size_t held = filled_ - std::min(begin_, filled_);
  if (held < bytes) {
    const std::int64_t left = std::max<std::int64_t>(file_.size() - offset_, 0);
    read_more(std::min(std::max(bytes - held, kPiece), static_cast<std::size_t>(left)));
  }
  const std::string_view all(buffer_.data() + begin_, filled_ - begin_);
  return all.substr(0, all.rfind('\n') + 1);
}

void CsvRecords::skip_lines(std::size_t bytes, std::int64_t count) {
  next_.offset += static_cast<std::int64_t>(bytes);
  next_.line += count;
}

/// Makes byte i of the record available unless the file ends before it.
bool CsvRecords::refill(std::size_t i) {
  // Two bytes more show whether the record ends there.
  if (i >= kMostBytes + 2) fail_length();
  read_more(kPiece);
  return i < filled_;
}

/// Reads up to `bytes` that follow what the buffer holds.
void CsvRecords::read_more(std::size_t bytes) {
  // Ranges count from the record's begin, so it may move to the front.
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(std::min(begin_, filled_)),
            buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
  filled_ -= std::min(begin_, filled_);
  begin_ = 0;
  buffer_.resize(std::max(buffer_.size(), filled_ + bytes));
  const std::size_t got = file_.read(offset_, std::span(buffer_).subspan(filled_));
  offset_ += static_cast<std::int64_t>(got);
  filled_ += got;
}

void CsvRecords::fail_length() const {
  fail(fmt::format("expected a line of at most {} bytes", kMostBytes));
}

void CsvRecords::detect_separator(char decimal) {
  constexpr std::array<char, 3> kSeparators = {'\t', ';', ','};
  // How many of each stand outside quotes in the first two lines.
  std::array<std::array<std::size_t, 3>, 2> counts = {};
  std::size_t line = 0;
  bool in_quotes = false;
  for (std::size_t i = 0; i < kMostBytes; ++i) {
    const int c = peek(i);
    if (c == kEnd || (c == '\n' && !in_quotes && ++line == counts.size())) break;
    if (c == '"') in_quotes = !in_quotes;
    for (std::size_t s = 0; s < kSeparators.size(); ++s) {
      if (c == kSeparators[s] && !in_quotes) ++counts[line][s];
    }
  }
  const auto& first = counts[0];
  separator_ = first[0] > 0 ? '\t' : first[1] > 0 || decimal == ',' ? ';' : ',';
  const bool is_comma_possible = decimal != ',';
  // A tab or a semicolon within a name separates nothing: the line after it has as many others.
  for (std::size_t s = 0; s < (is_comma_possible ? 3U : 2U); ++s) {
    if (first[s] == 0 || counts[1][s] != first[s]) continue;
    separator_ = kSeparators[s];
    break;
  }
}

std::size_t CsvRecords::skip_blanks(std::size_t i) {
  while (is_blank_char(peek(i))) ++i;
  return i;
}

/// Whether the line ends at byte i.
bool CsvRecords::ends_line(std::size_t i) {
  const int c = peek(i);
  if (c == '\n' || c == kEnd) return true;
  if (c == '\r') {
    const int after = peek(i + 1);
    if (after == '\n' || after == kEnd) return true;
    fail(ranges_.size() + 1,
         "carriage return without line feed; expected lines that end with LF "
         "or CRLF");
  }
  if (c == 0) fail(ranges_.size() + 1, "byte 0; expected text in UTF-8");
  return false;
}

/// From the opening quote at i to what follows the field.
std::size_t CsvRecords::read_quoted(std::size_t i) {
  const std::size_t field = ranges_.size() + 1;
  Range range{i + 1, i + 1};
  for (++i;; ++i) {
    const int c = peek(i);
    if (c == kEnd) fail(field, "quote without an end");
    if (c == 0) fail(field, "byte 0; expected text in UTF-8");
    if (c == '\n') ++next_.line;
    if (c == '"') {
      if (peek(i + 1) != '"') break;
      ++i;
    }
    // Doubled quotes become one, in place.
    is_altered_ = is_altered_ || range.end != i;
    buffer_[begin_ + range.end++] = static_cast<char>(c);
  }
  i = skip_blanks(i + 1);
  if (peek(i) != separator_ && !ends_line(i)) fail(field, "text after the closing quote");
  ranges_.push_back(range);
  return i;
}

/// From the first byte of a field that is not blank to what follows the field.
std::size_t CsvRecords::read_plain(std::size_t i) {
  Range range{i, i};
  for (;; ++i) {
    const int c = peek(i);
    if (c == separator_ || (c <= '\r' && ends_line(i))) break;
    if (!is_blank_char(c)) range.end = i + 1;
  }
  ranges_.push_back(range);
  return i;
}

}  // namespace gaia
