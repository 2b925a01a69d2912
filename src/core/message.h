// SPDX-License-Identifier: MIT
/// \file
/// The one way to complain: "[function] expected ..., got ...".
///
///     require(rows > 0, "[solve] expected 1 row or more, got {}", rows);
///     fail<ShapeError>("[solve] expected weights of shape {}, got {}", shape, weights.shape());
///     add(key, message("expected {} channels, got {}", wanted, channels));
///
/// A place {} takes text as it is, whole numbers, other numbers by number_text, and everything that
/// has a to_string.  The compiler counts the places.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "error.h"
#include "text.h"

namespace gaia {

/// A value as messages show it.
template <class T>
std::string shown(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string(std::string_view(value));
  } else if constexpr (std::floating_point<T>) {
    return number_text(value);
  } else if constexpr (std::same_as<T, char>) {
    return std::string(1, value);
  } else if constexpr (std::integral<T>) {
    static_assert(!std::same_as<T, bool>, "say it in words");
    return std::to_string(value);
  } else {
    return to_string(value);
  }
}

/// A text with one place for each of the values.  {{ and }} are braces.
template <class... T>
struct MessageText {
  std::string_view text;

  consteval MessageText(const char* with_places) : text(with_places) {
    std::size_t places = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '{' && text[i] != '}') continue;
      const std::string_view pair = text.substr(i++, 2);
      if (pair == "{}") {
        ++places;
      } else if (pair != "{{" && pair != "}}") {
        throw "a brace alone";
      }
    }
    if (places != sizeof...(T)) throw "as many places as values";
  }
};

/// `text` with the values in its places.
std::string fill_places(std::string_view text, std::initializer_list<std::string> values);

template <class... T>
std::string message(MessageText<std::type_identity_t<T>...> text, const T&... values) {
  return fill_places(text.text, {shown(values)...});
}

/// Throws an E with this message.
template <class E, class... T>
[[noreturn]] void fail(MessageText<std::type_identity_t<T>...> text, const T&... values) {
  throw E(message(text, values...));
}

/// Throws an E with this message unless `holds`.
template <class E = ArgumentError, class... T>
void require(bool holds, MessageText<std::type_identity_t<T>...> text, const T&... values) {
  if (!holds) throw E(message(text, values...));
}

}  // namespace gaia
