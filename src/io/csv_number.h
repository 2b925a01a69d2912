// SPDX-License-Identifier: MIT
/// \file
/// The number that a field of a CSV file is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// The number that begins at `at`, which goes past it, if it is written as most are: a sign, digits
/// and a decimal mark, such that its digits as a whole number and its power of ten are doubles:
/// then their quotient is the double nearest to it (Clinger 1990, PLDI, 92-101).
inline std::optional<double> short_number(const char*& at, const char* end, char decimal) {
  constexpr std::ptrdiff_t kMostDigits = 15;
  constexpr std::array<double, kMostDigits + 1> kPowers = {
      1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool is_negative = at != end && *at == '-';
  if (is_negative) ++at;
  std::uint64_t whole = 0;
  const auto take_digits = [&] {
    const char* const first = at;
    for (; at != end; ++at) {
      const auto digit = static_cast<unsigned char>(*at - '0');
      if (digit > 9) break;
      // The number is not used where it has more digits than fit.
      whole = 10 * whole + digit;
    }
    return at - first;
  };
  const std::ptrdiff_t before = take_digits();
  std::ptrdiff_t after = 0;
  if (before > 0 && at != end && *at == decimal) {
    ++at;
    after = take_digits();
    if (after == 0) return {};
  }
  if (before == 0 || before + after > kMostDigits) return {};
  const double value = static_cast<double>(whole) / kPowers[static_cast<std::size_t>(after)];
  return is_negative ? -value : value;
}

}  // namespace gaia
