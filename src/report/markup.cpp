// SPDX-License-Identifier: MIT
#include "markup.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "../core/text.h"

namespace gaia::report {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr const char* kMinus = "\xE2\x88\x92";        // U+2212

/// Bytes of the character that starts with `first`, 1 where none does.
std::size_t character_length(unsigned char first) {
  if (first >= 0xF0) return 4;
  if (first >= 0xE0) return 3;
  return first >= 0xC0 ? 2 : 1;
}

/// Characters that XML does not allow (U+FFFE, U+FFFF), and those that turn the text around
/// (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).
bool is_refused(std::string_view character) {
  if (character.size() == 1) {
    const auto c = static_cast<unsigned char>(character.front());
    return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
  }
  if (character.size() == 2) return character[0] == '\xC2' && character[1] < '\xA0';  // C1 controls
  if (character.size() != 3) return false;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (at(0) == 0xEF) return at(1) == 0xBF && at(2) >= 0xBE;
  if (at(0) != 0xE2) return false;
  const bool marks = at(1) == 0x80 && (at(2) == 0x8E || at(2) == 0x8F);
  const bool embeddings = at(1) == 0x80 && at(2) >= 0xAA && at(2) <= 0xAE;
  const bool isolates = at(1) == 0x81 && at(2) >= 0xA6 && at(2) <= 0xA9;
  return marks || embeddings || isolates;
}

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view character =
        text.substr(i, character_length(static_cast<unsigned char>(text[i])));
    const bool readable = is_utf8(character) && !is_refused(character);
    i += readable ? character.size() : 1;
    if (!readable) {
      out += kReplacement;
    } else if (character == "&") {
      out += "&amp;";
    } else if (character == "<") {
      out += "&lt;";
    } else if (character == ">") {
      out += "&gt;";
    } else if (character == "\"") {
      out += "&quot;";
    } else if (character == "'") {
      out += "&#39;";
    } else {
      out += character;
    }
  }
  return out;
}

std::string paragraph(std::string_view text, std::string_view css_class) {
  return fmt::format("<p class=\"{}\">{}</p>\n", css_class, escape(text));
}

std::string length_text(double value) {
  return without_trailing_zeros(fmt::format("{:.2f}", value));
}

std::string power_of_ten(int exponent) {
  constexpr std::array digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  for (const char c : std::to_string(exponent)) {
    text += c == '-' ? "⁻" : digits[static_cast<std::size_t>(c - '0')];
  }
  return text;
}

std::string number_for_people(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  const std::string sign = value < 0.0 ? kMinus : "";
  const double size = std::abs(value);
  if (std::isinf(value)) return sign + "∞";
  if (size == 0.0) return "0";
  // Rounded first: 9.9996 with four digits is 10.
  const std::string scientific = fmt::format("{:.{}e}", size, digits - 1);
  const std::size_t cut = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(cut + 1));
  if (exponent < -3 || exponent > 5) {
    return sign + without_trailing_zeros(scientific.substr(0, cut)) + "×" + power_of_ten(exponent);
  }
  return sign +
         without_trailing_zeros(fmt::format("{:.{}f}", size, std::max(0, digits - 1 - exponent)));
}

const char* plural(std::int64_t count) { return count == 1 ? "" : "s"; }

}  // namespace gaia::report
