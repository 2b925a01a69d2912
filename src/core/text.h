// SPDX-License-Identifier: MIT
/// \file
/// Small things done to text: strict numbers, numbers that read back as they were, safe printing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gaia {

/// The whole of `text` as a decimal integer, or nothing.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// The whole of `text` as a finite decimal number, or nothing.  A number too small for a double is
/// refused rather than taken for 0, one too large rather than taken for infinity.
std::optional<double> parse_number(std::string_view text);

/// The shortest text that reads back as `value`; always with a point or an exponent.
std::string number_text(double value);

/// `text` with control characters, what turns the direction of writing, and what is not UTF-8 shown
/// as "?", so that it cannot steer a terminal; tabs and ends of lines stay.
std::string printable(std::string_view text);

/// Whether `text` is well-formed UTF-8 without NUL.
bool is_utf8(std::string_view text);

/// "12.3 MB", "1.0 GB": powers of 1000.
std::string bytes_text(double bytes);

/// "950 ms", "12.3 s", "4 min 10 s", "3 h 20 min".
std::string duration_text(double seconds);

/// 1234567 as "1 234 567".
std::string grouped(std::int64_t number);

}  // namespace gaia
