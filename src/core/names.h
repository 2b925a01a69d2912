// SPDX-License-Identifier: MIT
/// \file
/// Enumerators and their names in files, in one table per enumeration; and the nearest known word
/// to one that was mistyped.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error.h"

namespace gaia {

template <class Enum, std::size_t N>
using NameTable = std::array<std::pair<const char*, Enum>, N>;

/// The candidate that `word` was probably meant to be (few edits away), or an empty string.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

/// " (did you mean 'x'?)" or an empty string.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// "a, b, c".
std::string join(std::span<const std::string> words);

template <class Enum, std::size_t N>
std::string name_of(const NameTable<Enum, N>& table, Enum value) {
  for (const auto& [name, candidate] : table) {
    if (candidate == value) return name;
  }
  throw InternalError("[name_of] enumerator without a name");
}

template <class Enum, std::size_t N>
std::vector<std::string> names_of(const NameTable<Enum, N>& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.first);
  return names;
}

/// \throws ArgumentError "unknown <what> '<name>' (did you mean ...?); known: ..."
template <class Enum, std::size_t N>
Enum from_name(const NameTable<Enum, N>& table, std::string_view name, const char* what) {
  for (const auto& [known, value] : table) {
    if (name == known) return value;
  }
  const std::vector<std::string> names = names_of(table);
  throw ArgumentError("unknown " + std::string(what) + " '" + std::string(name) + "'" +
                      did_you_mean(name, names) + "; known: " + join(names));
}

}  // namespace gaia
