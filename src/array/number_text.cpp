// SPDX-License-Identifier: MIT
#include "number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace gaia {
namespace {

constexpr int kPrecision = 8;

/// A finite number as 0.d1d2d3... * 10^exponent (0 has one digit), by the fewest digits that tell
/// it from every other of its type.
struct Digits {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};

template <class T>
Digits shortest(T number) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::scientific);
  const std::string all(text, end.ptr);
  const std::size_t e = all.find('e');
  Digits result;
  result.negative = all[0] == '-';
  for (const char c : all.substr(0, e)) {
    if (c >= '0' && c <= '9') result.digits += c;
  }
  result.exponent = number == T(0) ? 1 : std::atoi(all.c_str() + e + 1) + 1;
  return result;
}

/// "-12.5", and "3." where there is nothing behind the point.
std::string positional(const Digits& d) {
  const auto n = static_cast<int>(d.digits.size());
  std::string text = d.negative ? "-" : "";
  if (d.exponent <= 0) {
    return text + "0." + std::string(static_cast<std::size_t>(-d.exponent), '0') + d.digits;
  }
  const int whole = std::min(n, d.exponent);
  text += d.digits.substr(0, static_cast<std::size_t>(whole));
  text += std::string(static_cast<std::size_t>(d.exponent - whole), '0') + ".";
  const std::string fraction = d.digits.substr(static_cast<std::size_t>(whole));
  return fraction == "0" ? text : text + fraction;
}

template <class T>
std::string rounded(T number, std::chars_format format, int precision) {
  char text[512];
  const auto end =
      std::to_chars(text, text + sizeof text, static_cast<double>(number), format, precision);
  return {text, end.ptr};
}

/// Length of what stands between the point and `end`.
std::size_t fraction_length(const std::string& text, std::size_t end) {
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0 : end - point - 1;
}

template <class T>
std::string positional(T number) {
  std::string text = positional(shortest(number));
  if (fraction_length(text, text.size()) <= kPrecision) return text;
  text = rounded(number, std::chars_format::fixed, kPrecision);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

template <class T>
std::string scientific(T number, int precision) {
  std::string text = rounded(number, std::chars_format::scientific, precision);
  if (precision == 0) text.insert(text.find('e'), ".");
  return text;
}

/// Digits after the point that the scientific form needs, at most kPrecision.
template <class T>
int scientific_precision(T number) {
  const Digits d = shortest(number);
  if (static_cast<int>(d.digits.size()) - 1 <= kPrecision) {
    return static_cast<int>(d.digits.size()) - 1;
  }
  const std::string text = rounded(number, std::chars_format::scientific, kPrecision);
  const std::size_t last = text.find_last_not_of('0', text.find('e') - 1);
  return static_cast<int>(fraction_length(text, last + 1));
}

/// NumPy's conditions for the scientific form.
template <class T>
bool is_scientific(const std::vector<T>& finite) {
  T largest = 0;
  T smallest = 0;
  for (const T number : finite) {
    const T size = std::abs(number);
    largest = std::max(largest, size);
    if (size != T(0) && (smallest == T(0) || size < smallest)) smallest = size;
  }
  return largest != T(0) &&
         (static_cast<double>(largest) >= 1e8 || static_cast<double>(smallest) < 1e-4 ||
          static_cast<double>(largest / smallest) > 1000.0);
}

template <class T>
std::string not_finite_text(T number) {
  return std::isnan(number) ? "nan" : number < T(0) ? "-inf" : "inf";
}

void pad(std::string& text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
}

}  // namespace

template <class T>
std::vector<std::string> aligned(const std::vector<T>& numbers) {
  std::vector<T> finite;
  std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(finite),
               [](T number) { return std::isfinite(number); });
  const bool in_powers = is_scientific(finite);
  int precision = 0;
  if (in_powers) {
    for (const T number : finite) precision = std::max(precision, scientific_precision(number));
  }
  std::vector<std::string> texts;
  std::size_t left = 0;  // digits left of the point
  std::size_t right = 0;
  for (const T number : numbers) {
    if (!std::isfinite(number)) {
      texts.push_back(not_finite_text(number));
      continue;
    }
    texts.push_back(in_powers ? scientific(number, precision) : positional(number));
    left = std::max(left, texts.back().find('.'));
    right = std::max(right, fraction_length(texts.back(), texts.back().size()));
  }
  // Exponents may have two digits or three; the shorter get a zero.
  std::size_t width = finite.empty() ? 0 : left + 1 + right;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!std::isfinite(numbers[i])) {
      width = std::max(width, texts[i].size());
      continue;
    }
    const std::size_t missing = right - fraction_length(texts[i], texts[i].size());
    if (in_powers) {
      texts[i].insert(texts[i].find('e') + 2, missing, '0');
    } else {
      texts[i].append(missing, ' ');
    }
  }
  for (std::string& text : texts) pad(text, width);
  return texts;
}

template std::vector<std::string> aligned(const std::vector<float>&);
template std::vector<std::string> aligned(const std::vector<double>&);

std::vector<std::string> aligned(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> texts;
  std::size_t width = 0;
  for (const std::int64_t number : numbers) {
    texts.push_back(std::to_string(number));
    width = std::max(width, texts.back().size());
  }
  for (std::string& text : texts) pad(text, width);
  return texts;
}

std::vector<std::string> aligned(const std::vector<bool>& flags) {
  std::vector<std::string> texts;
  for (const bool flag : flags) texts.emplace_back(flag ? " True" : "False");
  return texts;
}

template <class T>
std::string shortest_text(T number) {
  if (!std::isfinite(number)) return not_finite_text(number);
  const double size = std::abs(static_cast<double>(number));
  const Digits d = shortest(number);
  if (size == 0.0 || (size >= 1e-4 && size < 1e16)) {
    const std::string text = positional(d);
    return text.back() == '.' ? text + "0" : text;
  }
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::scientific);
  return {text, end.ptr};
}

template std::string shortest_text(float);
template std::string shortest_text(double);

}  // namespace gaia
