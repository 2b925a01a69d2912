// SPDX-License-Identifier: MIT
#include "columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "../core/error.h"
#include "../core/log.h"
#include "../core/names.h"

namespace gaia {
namespace {

std::optional<std::size_t> parse_index(const std::string& text) {
  std::size_t index = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, index);
  if (error != std::errc() || stop != end) return std::nullopt;
  return index;
}

/// The names of a file, as many as a message can hold.
std::string known_names(std::span<const std::string> names) {
  constexpr std::size_t kShown = 30;
  std::vector<std::string> shown;
  for (const std::string& name : names.first(std::min(names.size(), kShown))) {
    shown.push_back(in_quotes(name));
  }
  std::string text = join(shown);
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

std::size_t find_column(const std::string& source, const std::string& asked,
                        std::span<const std::string> names) {
  const auto found = std::find(names.begin(), names.end(), asked);
  if (found != names.end()) {
    const auto other = std::find(found + 1, names.end(), asked);
    if (other == names.end()) {
      const auto named = static_cast<std::size_t>(found - names.begin());
      const std::optional<std::size_t> index = parse_index(asked);
      if (index && *index != named && *index < names.size()) {
        log_warning(fmt::format(
            "{}: column {} is taken to be the one that is called so, column {} of the file, not "
            "{}, which has the index {}",
            source, asked, named, in_quotes(names[*index]), *index));
      }
      return named;
    }
    throw ArgumentError(fmt::format("{}: columns {} and {} are both called {}; select by index",
                                    source, found - names.begin(), other - names.begin(),
                                    in_quotes(asked)));
  }
  const std::optional<std::size_t> index = parse_index(asked);
  if (!index) {
    throw ArgumentError(fmt::format("{}: unknown column {}{}; known: {}", source, in_quotes(asked),
                                    did_you_mean(asked, names), known_names(names)));
  }
  if (*index >= names.size()) {
    throw ArgumentError(fmt::format("{}: unknown column {}; the file has columns 0 to {}: {}",
                                    source, asked, names.size() - 1, known_names(names)));
  }
  return *index;
}

}  // namespace

std::vector<std::string> numbered_names(std::int64_t count) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

std::vector<std::size_t> select_columns(const std::string& source,
                                        std::span<const std::string> asked,
                                        std::span<const std::string> names) {
  std::vector<std::size_t> selected;
  for (const std::string& column : asked) {
    const std::size_t index = find_column(source, column, names);
    for (const std::size_t before : selected) {
      if (before == index) {
        throw ArgumentError(
            fmt::format("{}: column {} is asked for twice", source, in_quotes(names[index])));
      }
      if (names[before] == names[index]) {
        throw ArgumentError(fmt::format("{}: columns {} and {} are both called {}; select only one",
                                        source, before, index, in_quotes(names[index])));
      }
    }
    selected.push_back(index);
  }
  return selected;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string shown = "'";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return shown + (text.size() > kShown ? "...'" : "'");
}

}  // namespace gaia
