// SPDX-License-Identifier: MIT
#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "number_from_chars.h"

namespace gaia {

namespace {

/// from_chars knows "-1" but not "+1".
std::string_view without_plus(std::string_view text) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return has_plus ? text.substr(1) : text;
}

/// A leading zero is octal to some readers and decimal to others.
bool looks_octal(std::string_view text) {
  const std::string_view digits = !text.empty() && text.front() == '-' ? text.substr(1) : text;
  return digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
}

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  text = without_plus(text);
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = number_from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || looks_octal(text)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

std::optional<double> parse_number(std::string_view text) {
  const std::optional<double> value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string number_text(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

namespace {

/// One character of UTF-8.
struct Character {
  std::size_t bytes = 0;  ///< 0 where the text is not well-formed.
  std::uint32_t code = 0;
};

Character character_at(std::string_view text, std::size_t i) {
  const auto lead = static_cast<unsigned char>(text[i]);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || i + length > text.size()) return {};
  std::uint32_t code = length == 1 ? lead : lead & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    const auto next = static_cast<unsigned char>(text[i + k]);
    if ((next & 0xc0u) != 0x80u) return {};
    code = code << 6 | (next & 0x3fu);
  }
  constexpr std::array<std::uint32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {length, code};
}

/// Controls of terminals, old and new, and those that turn the direction of writing, which make a
/// text look like another.
bool is_control(std::uint32_t code) {
  const bool is_c0 = code < 0x20 && code != '\t' && code != '\n';
  const bool is_c1 = code >= 0x7f && code < 0xa0;
  const bool is_direction = code == 0x61c || code == 0x200e || code == 0x200f ||
                            (code >= 0x2028 && code <= 0x202e) ||
                            (code >= 0x2066 && code <= 0x2069);
  return is_c0 || is_c1 || is_direction;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Character character = character_at(text, i);
    if (character.bytes == 0 || is_control(character.code)) {
      safe += '?';
    } else {
      safe += text.substr(i, character.bytes);
    }
    i += std::max<std::size_t>(1, character.bytes);
  }
  return safe;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Character character = character_at(text, i);
    if (character.bytes == 0 || character.code == 0) return false;
    i += character.bytes;
  }
  return true;
}

std::string bytes_text(double bytes) {
  constexpr std::array units = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 1000.0 && unit + 1 < units.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string duration_text(double seconds) {
  if (seconds < 1.0) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 60.0) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::int64_t first = number < 0 ? 1 : 0;
  for (auto i = static_cast<std::int64_t>(digits.size()) - 3; i > first; i -= 3) {
    digits.insert(static_cast<std::size_t>(i), " ");
  }
  return digits;
}

}  // namespace gaia
