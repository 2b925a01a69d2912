// SPDX-License-Identifier: MIT
#include "csv_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "../core/error.h"
#include "../core/number_from_chars.h"

namespace gaia {
namespace {

/// Whether a number that is no double is too small to be one, rather than too large.
bool is_tiny(std::string_view text) {
  long double wide = 0.0L;
  const auto error = number_from_chars(text.data(), text.data() + text.size(), wide).ec;
  if (error == std::errc()) return std::abs(wide) < 1.0L;
  return text.find("e-") != text.npos || text.find("E-") != text.npos;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether there is nothing in a text that numbers do not have; of most texts it is not.
bool may_be_number(std::string_view text) {
  constexpr std::size_t longest = 100;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_other = static_cast<unsigned char>(c) < 0x80 &&
                          std::string_view("0123456789+-.,'%$ dDeE").find(c) == text.npos;
    const bool is_inner_sign =
        i > 0 && (c == '-' || c == '+') && std::string_view("dDeE").find(text[i - 1]) == text.npos;
    if (is_other || is_inner_sign) return false;
  }
  return !text.empty() && text.size() <= longest;
}

/// Puts `by` in place of every `what`; false where there is none.
bool replace_all(std::string& text, std::string_view what, std::string_view by) {
  bool found = false;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) {
    text.replace(at, what.size(), by);
    found = true;
  }
  return found;
}

void take_out_blanks_around(std::string& text) {
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
}

/// "1234567.5" of "1,234,567.5"; false where there are no groups of three digits.
bool take_out_thousands(std::string& text, char decimal) {
  const std::size_t begin = text.find_first_not_of("+-");
  if (begin > 1) return false;
  const auto digits_from = [&](std::size_t i) {
    std::size_t end = i;
    while (end < text.size() && is_digit(text[end])) ++end;
    return end - i;
  };
  const std::size_t first = digits_from(begin);
  if (first < 1 || first > 3) return false;
  for (const std::string_view separator :
       {decimal == '.' ? "," : ".", "'", "\u2019", " ", "\u00a0", "\u2009", "\u202f"}) {
    std::string plain = text.substr(0, begin + first);
    std::size_t at = begin + first;
    while (text.compare(at, separator.size(), separator) == 0 &&
           digits_from(at + separator.size()) == 3) {
      plain += text.substr(at + separator.size(), 3);
      at += separator.size() + 3;
    }
    if (plain.size() == begin + first) continue;
    text = plain + text.substr(at);
    return true;
  }
  return false;
}

/// "1.5e+03" of "1.5D+03", as Fortran writes it; what has neither a decimal mark nor a sign, as
/// "2D5", is a name rather.
bool take_out_d(std::string& text, char decimal) {
  const std::size_t at = text.find_first_of("dD");
  if (at == text.npos || at + 1 == text.size()) return false;
  const bool is_exponent = text.find(decimal) < at || text[at + 1] == '+' || text[at + 1] == '-';
  if (is_exponent) text[at] = 'e';
  return is_exponent;
}

/// A number of a sign, digits and a decimal mark, as most are, if its digits as a whole number and
/// its power of ten are doubles: then their quotient is the double nearest to it (Clinger 1990,
/// PLDI, 92-101).
std::optional<double> short_number(std::string_view text, char decimal) {
  constexpr std::size_t kMostDigits = 15;
  constexpr std::array<double, kMostDigits + 1> kPowers = {
      1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool is_negative = at != end && *at == '-';
  if (is_negative) ++at;
  std::uint64_t whole = 0;
  const auto take_digits = [&] {
    const char* const first = at;
    // The number is not used where it has more digits than fit.
    for (; at != end && is_digit(*at); ++at)
      whole = 10 * whole + static_cast<unsigned char>(*at - '0');
    return static_cast<std::size_t>(at - first);
  };
  const std::size_t before = take_digits();
  std::size_t after = 0;
  if (before > 0 && at != end && *at == decimal) {
    ++at;
    after = take_digits();
    if (after == 0) return {};
  }
  if (before == 0 || at != end || before + after > kMostDigits) return {};
  const double value = static_cast<double>(whole) / kPowers[after];
  return is_negative ? -value : value;
}

}  // namespace

Cell parse_cell(std::string_view text, char decimal) {
  if (const auto number = short_number(text, decimal)) return {CellKind::number, *number};
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text = text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
  constexpr std::string_view kMissing[] = {"", "NA", "N/A", "NaN", "nan", "null"};
  for (const std::string_view word : kMissing) {
    if (text == word) return {CellKind::missing, std::numeric_limits<double>::quiet_NaN()};
  }
  std::string with_point;
  if (decimal != '.') {
    if (text.find('.') != text.npos) return {CellKind::text, 0.0};
    with_point = text;
    std::replace(with_point.begin(), with_point.end(), decimal, '.');
    text = with_point;
  }
  if (text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = number_from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument || std::isnan(value)) {
    return {CellKind::text, 0.0};
  }
  if (error != std::errc()) {
    if (!is_tiny(text)) return {CellKind::out_of_range, 0.0};
    value = text.front() == '-' ? -0.0 : 0.0;
  }
  if (std::isinf(value)) return {CellKind::infinite, value};
  return {CellKind::number, value};
}

std::string way_to_write(std::string_view text, char decimal) {
  if (!may_be_number(text)) return {};
  std::string plain(text);
  std::string way;
  const auto add = [&](bool is_needed, const char* what) {
    if (is_needed) way += (way.empty() ? "" : ", ") + std::string(what);
  };
  bool has_other_minus = false;
  for (const char* minus : {"\u2212", "\u2013", "\u2010", "\u2011", "\ufe63", "\uff0d"}) {
    has_other_minus = replace_all(plain, minus, "-") || has_other_minus;
  }
  add(has_other_minus, "write - for its minus, which is another sign");
  const bool is_percentage = !plain.empty() && plain.back() == '%';
  if (is_percentage) plain.pop_back();
  add(is_percentage, "take the % out of the column");
  bool has_currency = false;
  for (const char* currency : {"$", "\u20ac", "\u00a3", "\u00a5"}) {
    has_currency = replace_all(plain, currency, "") || has_currency;
  }
  add(has_currency, "take the sign of the currency out of the column");
  take_out_blanks_around(plain);
  add(take_out_thousands(plain, decimal), "write it without separators of thousands");
  add(take_out_d(plain, decimal), "write E for D in its exponent");
  return parse_cell(plain, decimal).kind == CellKind::number ? way : std::string();
}

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

/// Makes byte i of the record available unless the file ends before it.
bool CsvRecords::refill(std::size_t i) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  // Two bytes more show whether the record ends there.
  if (i >= kMostBytes + 2) fail_length();
  // Ranges count from the record's begin, so it may move to the front.
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(std::min(begin_, filled_)),
            buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
  filled_ -= std::min(begin_, filled_);
  begin_ = 0;
  buffer_.resize(std::max(buffer_.size(), filled_ + kPiece));
  const std::size_t got = file_.read(offset_, std::span(buffer_).subspan(filled_));
  offset_ += static_cast<std::int64_t>(got);
  filled_ += got;
  return i < filled_;
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
