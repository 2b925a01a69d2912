// SPDX-License-Identifier: MIT
#include "csv_columns.h"

#include <fmt/format.h>

#include <unordered_map>

#include "../core/error.h"
#include "../core/log.h"
#include "csv_cells.h"

namespace gaia {
namespace {

/// Whether a column that begins with text is no column of text.
void check_text(const CsvTable& table, const CsvColumn& column) {
  const auto where = [&](std::int64_t line) {
    return fmt::format("{}:{}:{}: ", table.path, line, column.index + 1);
  };
  const std::string name = in_quotes(table.header.names[column.index]);
  if (!column.first_other.empty()) {
    throw DataError(fmt::format(
        "{}expected numbers with a decimal {} in column {}, got {}; {}, or name the columns to "
        "read with data.columns",
        where(column.first_other_line), name_of_decimal(table.decimal), name,
        in_quotes(column.first_other), decimal_hint(table.decimal)));
  }
  if (column.numbers > column.texts) {
    throw DataError(fmt::format(
        "{}expected a number, got {}, in column {}, which holds numbers in {} of its rows; leave a "
        "missing value empty, which data.missing: hold fills (for gaia apply: --missing hold), or "
        "name the columns to read with data.columns",
        where(column.first_line), in_quotes(column.first_text), name, column.numbers));
  }
}

/// Whether it is what pandas and R put before the columns of a table.
bool is_index(const CsvTable& table, const CsvColumn& column) {
  return column.index == 0 && table.header.has_nameless_first && column.counts_rows &&
         table.rows > 1;
}

}  // namespace

void CsvColumn::note_text(std::string_view text, const Cell& cell, std::int64_t line,
                          char decimal) {
  const bool is_text = cell.kind == CellKind::text && way_to_write(text, decimal).empty();
  if (is_text) ++texts;
  if (cell.kind == CellKind::number || (cell.kind == CellKind::text && !is_text)) ++numbers;
  if (cell.kind != CellKind::text) return;
  if (!first_other.empty() || !is_number(text, other_decimal(decimal))) return;
  first_other_line = line;
  first_other = text;
}

void choose_numeric(const CsvTable& table, std::vector<CsvColumn>& columns) {
  if (columns.empty()) {
    throw DataError(fmt::format(
        "{}: expected a column for the levels beside those of data.time, data.targets, data.labels "
        "and data.trials, got none",
        table.path));
  }
  const CsvColumn& last = columns.back();
  const bool is_nameless = table.header.names[last.index] == std::to_string(last.index);
  if (columns.size() > 1 && is_nameless && last.kind == CsvColumn::Kind::unknown)
    columns.pop_back();
  std::string left_out;
  std::string hint;
  for (const CsvColumn& column : columns) {
    if (column.kind != CsvColumn::Kind::text) continue;
    check_text(table, column);
    const std::string& name = table.header.names[column.index];
    left_out += (left_out.empty() ? "" : ", ") + in_quotes(name);
    if (hint.empty() && !table.has_time) hint = date_hint(name, column.first_text);
  }
  std::erase_if(columns, [](const CsvColumn& c) { return c.kind == CsvColumn::Kind::text; });
  const bool has_index = !columns.empty() && is_index(table, columns.front());
  if (has_index) columns.erase(columns.begin());
  if (columns.empty()) {
    throw DataError(fmt::format(
        "{}: expected a column of numbers, {}{}{}", table.path,
        !table.has_side ? fmt::format("all {} columns hold text", table.header.names.size())
                        : "all that no other key names hold text",
        has_index ? " or count the rows" : "", hint));
  }
  std::unordered_map<std::string, std::size_t> seen;
  for (const CsvColumn& column : columns) {
    const auto [before, is_new] = seen.emplace(table.header.names[column.index], column.index);
    if (!is_new) {
      throw DataError(
          fmt::format("{}: columns {} and {} are both called {}; select columns by index",
                      table.path, before->second, column.index, in_quotes(before->first)));
    }
  }
  if (!left_out.empty()) {
    log_warning(
        fmt::format("{}: left out, since they hold text: {}; name the columns to read "
                    "with data.columns{}",
                    table.path, left_out, hint));
  }
  if (has_index) {
    log_warning(fmt::format(
        "{}: left out, since it has no name and only counts the rows, as an index of pandas or R "
        "does: column 0; name the columns to read with data.columns, and 0 among them, to keep it",
        table.path));
  }
}

}  // namespace gaia
