// SPDX-License-Identifier: MIT
#include "whole_numbers.h"

#include <fmt/format.h>

#include "../core/log.h"
#include "columns.h"

namespace gaia {

std::string integer_text(Wide wide, std::int64_t bits) {
  return wide == Wide::unsigned64 ? std::to_string(static_cast<std::uint64_t>(bits))
                                  : std::to_string(bits);
}

bool rounds(std::string_view field, double value) {
  // 1e300 is a number of a few digits, no whole one that was rounded.
  return is_beyond_exact(value) && field.find_first_not_of("+-0123456789 \t") == field.npos;
}

const char* why_no_name(double value) {
  return is_beyond_exact(value)
             ? "doubles beyond 2^53 do not tell all whole numbers apart; store integers or texts"
             : "data.targets takes other numbers";
}

void warn_of_rounded(const std::string& source, std::span<const std::string> columns) {
  if (columns.empty()) return;
  std::string names;
  for (const std::string& column : columns) {
    names += (names.empty() ? "" : ", ") + in_quotes(column);
  }
  log_warning(fmt::format(
      "{}: column{} {}: whole numbers beyond 2^53 are rounded to the nearest double, since {} read "
      "as numbers; what tells rows apart belongs in data.trials or data.labels, which keep it "
      "exactly, or is left out by data.columns",
      source, columns.size() == 1 ? "" : "s", names,
      columns.size() == 1 ? "the column is" : "the columns are"));
}

}  // namespace gaia
