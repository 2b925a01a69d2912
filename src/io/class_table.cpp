// SPDX-License-Identifier: MIT
#include "class_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "../core/text.h"
#include "columns.h"

namespace gaia {

std::string why_no_class(std::string_view text) {
  if (text.size() > kMostClassBytes) {
    return fmt::format("a name of at most {} bytes, got {} bytes that begin with {}",
                       kMostClassBytes, text.size(), in_quotes(printable(text.substr(0, 60))));
  }
  if (!is_utf8(text)) return "a name in UTF-8, got " + in_quotes(printable(text));
  const bool has_control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (has_control) return "a name without control characters, got " + in_quotes(printable(text));
  return {};
}

bool ClassTable::note(std::string_view name) {
  if (codes_.find(name) != codes_.end()) return true;
  if (names_.size() == kMostClasses) return false;
  codes_.emplace(name, static_cast<std::int64_t>(names_.size()));
  names_.emplace_back(name);
  return true;
}

namespace {

/// Place where an integer of 64 bits, with a sign or without, stands among others; nothing for
/// other texts.
std::optional<std::pair<std::int64_t, std::uint64_t>> place_among_integers(std::string_view text) {
  if (const auto number = parse_integer(text)) return std::pair(*number, std::uint64_t{0});
  std::uint64_t large = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, large);
  if (error != std::errc() || stop != end || text.starts_with('0')) return std::nullopt;
  return std::pair(std::numeric_limits<std::int64_t>::max(), large);
}

}  // namespace

void ClassTable::number_them() {
  std::sort(names_.begin(), names_.end());
  const bool are_integers = std::all_of(names_.begin(), names_.end(), [](const std::string& name) {
    return place_among_integers(name).has_value();
  });
  if (are_integers) {
    std::ranges::stable_sort(names_, [](const std::string& a, const std::string& b) {
      return *place_among_integers(a) < *place_among_integers(b);
    });
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    codes_[names_[i]] = static_cast<std::int64_t>(i);
  }
}

std::int64_t ClassTable::code(std::string_view name) const {
  const auto found = codes_.find(name);
  return found == codes_.end() ? -1 : found->second;
}

std::string too_many_classes(const std::string& source, std::string_view column) {
  return fmt::format(
      "{}: expected at most {} classes in {} (data.labels), got more; this looks like a column of "
      "numbers: data.targets takes those",
      source, kMostClasses, in_quotes(column));
}

}  // namespace gaia
