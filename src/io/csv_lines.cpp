// SPDX-License-Identifier: MIT
#include "csv_lines.h"

#include <algorithm>
#include <atomic>

#include "../core/parallel.h"
#include "csv_number.h"
#include "csv_records.h"
#include "whole_numbers.h"

namespace gaia {
namespace {

/// Bytes of a task, about.
constexpr std::size_t kTogether = std::size_t{1} << 16;

/// The end of the field that begins at `at`: its separator, or the end of its line; null where
/// something in it has to be looked at more closely.
const char* end_of_field(const char* at, const char* end, char separator) {
  for (; at != end; ++at) {
    if (*at == separator || *at == '\n') return at;
    if (*at == '"' || *at == '\0') return nullptr;
    if (*at == '\r') return at + 1 != end && at[1] == '\n' ? at : nullptr;
  }
  return nullptr;
}

/// Parses the number or missing value from `at` to where its field ends; null where there is
/// something else.
const char* parse_field(const char* at, const char* end, const CsvLayout& layout, double& value) {
  const char* after = at;
  const std::optional<double> number = short_number(after, end, layout.decimal);
  if (number && after != end && (*after == layout.separator || *after == '\n' || *after == '\r')) {
    value = *number;
    return after;
  }
  after = end_of_field(at, end, layout.separator);
  if (after == nullptr) return nullptr;
  const Cell cell = parse_cell({at, static_cast<std::size_t>(after - at)}, layout.decimal);
  // A line of one field that is missing may be a blank one.
  const bool is_plain = cell.kind == CellKind::number
                            ? !is_beyond_exact(cell.value)
                            : cell.kind == CellKind::missing && layout.places.size() > 1;
  value = cell.value;
  return is_plain ? after : nullptr;
}

/// Parses the line that begins at `at`, whose numbers `out` takes; its end, or null where it is no
/// such line.
const char* parse_line(const char* at, const char* end, const CsvLayout& layout, double* out) {
  const char* const begin = at;
  bool is_first = true;
  for (const std::int64_t place : layout.places) {
    if (!is_first && *at++ != layout.separator) return nullptr;
    is_first = false;
    at = place == CsvLayout::kNone ? end_of_field(at, end, layout.separator)
                                   : parse_field(at, end, layout, out[place]);
    if (at == nullptr) return nullptr;
  }
  if (*at == '\r') ++at;
  if (*at != '\n' || at - begin >= static_cast<std::ptrdiff_t>(CsvRecords::kMostBytes)) {
    return nullptr;
  }
  return at + 1;
}

}  // namespace

std::optional<CsvNumbers> parse_lines(std::string_view lines, const CsvLayout& layout) {
  CsvNumbers numbers;
  std::vector<std::size_t> ends;  // of the stretches, each of which begins with a line
  for (std::size_t begin = 0; begin < lines.size(); begin = ends.back()) {
    numbers.places.push_back({0, begin});
    ends.push_back(lines.find('\n', std::min(begin + kTogether, lines.size()) - 1) + 1);
  }
  const auto stretches = std::ssize(ends);
  const auto stretch = [&](std::int64_t i) {
    const std::size_t begin = numbers.places[static_cast<std::size_t>(i)].byte;
    return lines.substr(begin, ends[static_cast<std::size_t>(i)] - begin);
  };
  parallel_for(stretches, [&](std::int64_t i) {
    const std::string_view text = stretch(i);
    numbers.places[static_cast<std::size_t>(i)].row = std::count(text.begin(), text.end(), '\n');
  });
  for (CsvNumbers::Place& place : numbers.places) {
    const std::int64_t rows = place.row;
    place.row = numbers.rows;
    numbers.rows += rows;
  }
  numbers.values = std::make_unique_for_overwrite<double[]>(
      static_cast<std::size_t>(numbers.rows * layout.width));
  std::atomic<bool> is_other = false;
  parallel_for(stretches, [&](std::int64_t i) {
    const std::string_view text = stretch(i);
    const char* const end = text.data() + text.size();
    double* out =
        numbers.values.get() + numbers.places[static_cast<std::size_t>(i)].row * layout.width;
    for (const char* at = text.data(); at != end && !is_other; out += layout.width) {
      at = parse_line(at, end, layout, out);
      if (at == nullptr) {
        is_other = true;
        return;
      }
    }
  });
  if (is_other) return {};
  return numbers;
}

}  // namespace gaia
