// SPDX-License-Identifier: MIT
#include "csv_cells.h"

#include <fmt/format.h>

#include <vector>

#include "../core/text.h"
#include "csv_header.h"
#include "dates.h"

namespace gaia {

const char* name_of_decimal(char decimal) { return decimal == ',' ? "comma" : "point"; }

std::string decimal_hint(char decimal) {
  return fmt::format("set data.decimal: '{}' (for gaia apply: --decimal {}) for a decimal {}{}",
                     other_decimal(decimal), other_decimal(decimal),
                     name_of_decimal(other_decimal(decimal)),
                     decimal == '.' ? " (fields separated by semicolons or tabs)" : "");
}

std::string date_hint(const std::string& name, std::string_view text) {
  if (!parse_date(text)) return {};
  return fmt::format("; {} holds dates: data.time: {} makes them the time of the rows",
                     in_quotes(name), printable(name));
}

void check_csv_length(const CsvRecords& records, std::size_t width, char decimal) {
  const std::size_t got = records.fields().size();
  if (got == width) return;
  std::string hint;
  if (begins_as_comment(records))
    hint = "; the line begins with '#', and there are no comments in CSV";
  if (width == 1 && got == 2) {
    const auto fields = records.fields();
    const std::string joined = fmt::format("{},{}", fields[0], fields[1]);
    if (decimal == '.' && is_number(joined, ',')) hint = "; " + decimal_hint(decimal);
  }
  records.fail(
      fmt::format("expected {} field{}, got {}{}", width, width == 1 ? "" : "s", got, hint));
}

void fail_csv_cell(const CsvRecords& records, const std::string& name, std::size_t field,
                   const Cell& cell, char decimal, const CsvCellFacts& facts) {
  const std::string got = in_quotes(records.fields()[field]);
  if (cell.kind == CellKind::infinite) {
    records.fail(field + 1, fmt::format("expected a finite number, got {}", got));
  }
  if (cell.kind == CellKind::out_of_range) {
    records.fail(field + 1, fmt::format("expected a number that a double can hold, got {}", got));
  }
  std::vector<std::string> ways;
  if (field == 0 && begins_as_comment(records)) ways.push_back("there are no comments in CSV");
  if (is_number(records.fields()[field], other_decimal(decimal)))
    ways.push_back(decimal_hint(decimal));
  const std::string way = way_to_write(records.fields()[field], decimal);
  if (!way.empty()) ways.push_back(way);
  if (!way.empty() && !facts.is_asked)
    ways.push_back("or name the columns to read with data.columns");
  const bool is_other = ways.empty() && !facts.has_time;
  records.fail(field + 1,
               fmt::format("expected a number, got {}{}{}{}", got, ways.empty() ? "" : "; ",
                           fmt::join(ways, ", "),
                           is_other ? date_hint(name, records.fields()[field]) : std::string()));
}

}  // namespace gaia
