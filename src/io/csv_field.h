// SPDX-License-Identifier: MIT
/// \file
/// How a text stands in a CSV file.
#pragma once

#include <string>
#include <string_view>

namespace gaia {

/// What splits fields in some CSV file or other.
inline constexpr const char* kAnyCsvMark = ",;\t\"\r\n";

/// A field of a CSV file, in quotes where it has one of `marks` (RFC 4180).
inline std::string csv_field(std::string_view text, const char* marks = ",\"\r\n") {
  if (text.find_first_of(marks) == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + '"';
}

}  // namespace gaia
