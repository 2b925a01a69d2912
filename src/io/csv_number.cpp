// SPDX-License-Identifier: MIT
#include "csv_number.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <system_error>

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

}  // namespace

Cell parse_cell(std::string_view text, char decimal) {
  const char* after = text.data();
  const auto number = short_number(after, text.data() + text.size(), decimal);
  if (number && after == text.data() + text.size()) return {CellKind::number, *number};
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

}  // namespace gaia
