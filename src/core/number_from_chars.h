// SPDX-License-Identifier: MIT
/// \file
/// std::from_chars, whose form for numbers with a fraction libc++ lacks before version 20.
#pragma once

#include <charconv>
#include <type_traits>

namespace gaia {

/// What std::from_chars does in the formats `general` and, without exponents, `fixed`, by strtod;
/// T is float, double or long double.  After nan it takes no more in brackets.
template <class T>
std::from_chars_result number_by_strtod(const char* first, const char* last, T& value,
                                        bool may_have_exponent = true);

/// std::from_chars, of whole numbers in decimal digits.
template <class T>
std::from_chars_result number_from_chars(const char* first, const char* last, T& value,
                                         bool may_have_exponent = true) {
  if constexpr (std::is_integral_v<T>) {
    return std::from_chars(first, last, value);
  } else {
#if defined(__cpp_lib_to_chars)
    return std::from_chars(
        first, last, value,
        may_have_exponent ? std::chars_format::general : std::chars_format::fixed);
#else
    return number_by_strtod(first, last, value, may_have_exponent);
#endif
  }
}

}  // namespace gaia
