// SPDX-License-Identifier: MIT
/// \file
/// Arrays as tables of text.
#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include "../array/ops.h"
#include "../array/reductions.h"
#include "../core/message.h"
#include "array_formats.h"
#include "columns.h"
#include "csv_field.h"
#include "new_file.h"
#include "series_array.h"

namespace gaia::io {
namespace {

struct Table {
  std::vector<std::string> names;  ///< Names of the columns; none: no header.
  std::vector<Array> columns;      ///< [rows] each.
};

Table table_of(const std::string& path, const ArrayMap& arrays) {
  Table table;
  const auto& [first_name, first] = *arrays.begin();
  if (arrays.size() == 1 && first.rank() == 2) {
    for (std::int64_t i = 0; i < first.shape(1); ++i) table.columns.push_back(first.select(1, i));
    return table;
  }
  for (const auto& [name, column] : arrays) {
    if (column.rank() != 1 || column.size() != first.size()) {
      fail<ArgumentError>(
          "[io::save] {}: a CSV file holds one array of at most two axes, or several of one axis "
          "and one length; got {} of shape {}; .npz and .h5 hold others",
          printable(path), printable(name), column.shape());
    }
    table.names.push_back(name);
    table.columns.push_back(column);
  }
  if (arrays.size() == 1 && first_name == kNameless) table.names.clear();
  return table;
}

/// The shortest texts that read back as the same numbers.
std::vector<std::string> cells_of(const Array& column) {
  std::vector<std::string> cells;
  cells.reserve(static_cast<std::size_t>(column.size()));
  const auto add = [&]<class T>(const std::vector<T>& values) {
    std::array<char, 40> digits;
    for (const T value : values) {
      if (value != value) {
        cells.emplace_back("NaN");
        continue;
      }
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
      cells.emplace_back(digits.data(), end);
    }
  };
  switch (column.dtype()) {
    case DType::boolean:
    case DType::int32:
    case DType::int64:
      add(column.to_vector<std::int64_t>());
      break;
    case DType::bfloat16:
    case DType::float32:
      add(column.to_vector<float>());
      break;
    case DType::float64:
      add(column.to_vector<double>());
  }
  return cells;
}

}  // namespace

void save_csv(const std::string& path, const ArrayMap& arrays, const SaveOptions& options) {
  if (arrays.empty()) {
    fail<ArgumentError>("[io::save] {}: expected an array, got none", printable(path));
  }
  const Table table = table_of(path, arrays);
  if (table.columns.empty() || table.columns.front().size() == 0) {
    fail<ArgumentError>(
        "[io::save] {}: a CSV file needs numbers, got an empty array; .npy, .npz "
        "and .h5 hold those",
        printable(path));
  }
  std::vector<std::vector<std::string>> cells;
  for (const Array& column : table.columns) {
    if (any(isinf(column)).item() != 0) {
      fail<ArgumentError>(
          "[io::save] {}: a CSV file of gaia's holds finite numbers and NaN, got "
          "infinity; .npy, .npz and .h5 hold that",
          printable(path));
    }
    cells.push_back(cells_of(column));
  }
  NewFile file(path, options.overwrite, kWayOut);
  std::string out;
  for (const std::string& name : table.names) {
    out += csv_field(name, kAnyCsvMark);
    out += ',';
  }
  if (!out.empty()) out.back() = '\n';
  for (std::size_t row = 0; row < cells.front().size(); ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out += ',';
      out += cells[i][row];
    }
    out += '\n';
    if (out.size() > (std::size_t{1} << 20)) {
      file.write(out);
      out.clear();
    }
  }
  file.write(out);
  file.publish();
}

ArrayMap load_csv_columns(const std::string& path) {
  const std::unique_ptr<FileSeries> series = open_csv(path, {.missing = MissingPolicy::keep});
  const std::vector<std::string> names = series->channel_names();
  const Array rows = read_series(*series, DType::float64);
  if (names == numbered_names(static_cast<std::int64_t>(names.size()))) {
    return {{kNameless, names.size() == 1 ? rows.reshape({-1}) : rows}};
  }
  ArrayMap arrays;
  for (std::size_t i = 0; i < names.size(); ++i) {
    arrays.emplace(names[i], rows.select(1, static_cast<std::int64_t>(i)).copy());
  }
  return arrays;
}

}  // namespace gaia::io
