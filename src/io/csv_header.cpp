// SPDX-License-Identifier: MIT
#include "csv_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/log.h"
#include "../core/text.h"
#include "columns.h"
#include "csv_number.h"

namespace gaia {
namespace {

/// "1.5 2 nan": numbers with nothing but blanks between them.
bool are_numbers_with_blanks(std::string_view text, char decimal) {
  std::size_t cells = 0;
  std::size_t numbers = 0;
  for (std::size_t begin = 0; begin < text.size(); ++cells) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const CellKind kind = parse_cell(text.substr(begin, end - begin), decimal).kind;
    if (kind == CellKind::text) return false;
    if (kind == CellKind::number) ++numbers;
    begin = std::min(text.find_first_not_of(' ', end), text.size());
  }
  return cells > 1 && numbers > 0;
}

std::vector<std::string> texts_of(std::span<const std::string_view> fields) {
  return {fields.begin(), fields.end()};
}

/// Whether a number is written as a whole one.
bool is_whole(const std::string& text) {
  return !text.empty() && text.find_first_not_of("+-0123456789") == std::string::npos;
}

/// Refuses a first line that is one of numbers but for their notation; quantiles, 5%, 50%, 95%, are
/// names all the same.
void check_names_in_other_notation(const CsvRecords& records, const std::string& path, char decimal,
                                   bool has_number) {
  const auto fields = records.fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string way = way_to_write(fields[i], decimal);
    if (way.empty() || (fields[i].back() == '%' && !has_number)) continue;
    records.fail(i + 1, fmt::format("expected a number, got {}; {}, or, if the line is of names, "
                                    "write them with other text, as x0",
                                    in_quotes(fields[i]), way));
  }
  log_warning(fmt::format("{}: line 1 is taken for names, although it could hold numbers, {}", path,
                          in_quotes(fmt::format("{}", fmt::join(fields, ",")))));
}

// A first line without text is taken for numbers.  It may be names all the same, as pandas and
// others write the columns of an array: 0, 1, 2, behind an empty field where rows are numbered too.
void look_for_names_that_are_numbers(CsvRecords& records, const std::string& path, char decimal,
                                     CsvRecords::Place data) {
  const std::vector<std::string> first = texts_of(records.fields());
  const bool has_second = records.next() && records.fields().size() == first.size();
  const std::vector<std::string> second = texts_of(records.fields());
  records.seek(data);
  const std::size_t width = first.size();
  if (!has_second || width < 2) return;
  const std::size_t begin = first[0].empty() && !second[0].empty() ? 1 : 0;
  bool counts_columns = true;
  bool only_first_is_whole = width - begin > 1;
  for (std::size_t i = begin; i < width; ++i) {
    counts_columns = counts_columns && first[i] == std::to_string(i - begin);
    only_first_is_whole = only_first_is_whole && is_whole(first[i]) && !is_whole(second[i]) &&
                          is_number(second[i], decimal);
  }
  if (!counts_columns && !only_first_is_whole) return;
  constexpr std::size_t most = 5;
  const std::string what = fmt::format(
      "{}:1: '{}{}' may be names, of columns that are numbered", path,
      fmt::join(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(std::min(most, width)),
                ","),
      width > most ? ",..." : "");
  constexpr const char* kWayOut =
      "; names hold text, as x0 does: change them, or take the line out if it is of names";
  if (begin == 1) throw DataError(what + kWayOut);
  log_warning(what + ", and is taken for the first sample" + kWayOut);
}

}  // namespace

bool begins_as_comment(const CsvRecords& records) {
  const std::string_view first = records.fields().front();
  return first.size() > 1 && first.front() == '#';
}

void check_csv_separator(const CsvRecords& records, char decimal) {
  const auto fields = records.fields();
  if (fields.size() != 1 || !are_numbers_with_blanks(fields[0], decimal)) return;
  const bool with_points = decimal == '.';
  records.fail(fmt::format(
      "expected fields separated by {}semicolon or tab, got numbers separated by spaces, {}; write "
      "them with delimiter=\"{}\" (numpy.savetxt), or replace the spaces",
      with_points ? "comma, " : "", in_quotes(fields[0]), with_points ? "," : ";"));
}

CsvHeader read_csv_header(CsvRecords& records, const std::string& path, char decimal) {
  CsvHeader header;
  if (!records.next()) throw DataError(fmt::format("{}: the file is empty", path));
  if (records.is_blank()) records.fail("expected names or numbers, got an empty line");
  const auto fields = records.fields();
  const std::size_t width = fields.size();
  header.names = numbered_names(static_cast<std::int64_t>(width));
  header.data = records.place();
  bool is_there = false;
  std::size_t number = 0;  // field from 1
  bool has_text = false;   // whether a field is no number in any notation
  for (std::size_t i = 0; i < width; ++i) {
    const CellKind kind = parse_cell(fields[i], decimal).kind;
    if (kind == CellKind::text) is_there = true;
    if (kind == CellKind::number) number = i + 1;
    has_text = has_text || (kind == CellKind::text && way_to_write(fields[i], decimal).empty());
  }
  if (!is_there) {
    look_for_names_that_are_numbers(records, path, decimal, header.data);
    return header;
  }
  if (!has_text) check_names_in_other_notation(records, path, decimal, number != 0);
  for (std::size_t i = 0; i < width; ++i) {
    if (!is_utf8(fields[i])) records.fail(i + 1, "expected a name in UTF-8");
    if (!fields[i].empty()) header.names[i] = fields[i];
  }
  header.has_nameless_first = fields[0].empty() || fields[0] == "Unnamed: 0";
  const bool is_comment = begins_as_comment(records);
  if (is_comment) {  // NumPy's savetxt writes names so
    const std::size_t name = header.names[0].find_first_not_of("# ");
    header.names[0] = name == std::string::npos ? "0" : header.names[0].substr(name);
  }
  if (number != 0) {
    log_warning(
        fmt::format("{}: line 1 is taken for names since it holds text, although field {} is "
                    "the number {}",
                    path, number, header.names[number - 1]));
  }
  const CsvRecords::Place line = records.place();
  if (!records.next()) {
    records.seek(line);
    records.next();
    check_csv_separator(records, decimal);
    throw DataError(fmt::format("{}:{}: expected rows after the names, got none", path, line.line));
  }
  if (is_comment && records.fields().size() != width) {
    throw DataError(
        fmt::format("{}:{}: begins with '#', and there are no comments in CSV but a line of names, "
                    "one for each "
                    "column: take it out",
                    path, line.line));
  }
  header.data = records.place();
  return header;
}

}  // namespace gaia
