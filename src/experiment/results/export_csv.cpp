// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "../../core/error.h"
#include "../../io/csv_field.h"
#include "../../io/dates.h"
#include "export_files.h"

namespace gaia {
namespace {

/// The shortest text that reads back as the number of its type.
template <class T>
void append_cell(std::string& line, T value) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(value)) {
      line += "NaN";
      return;
    }
  }
  std::array<char, 40> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  line.append(digits.data(), end);
}

void append_cell(std::string& line, const std::string& text) { line += csv_field(text); }

/// What stands along the axes of the lines, of the first axis a block at a time.
class CsvIndices {
 public:
  explicit CsvIndices(const ExportedDataset& dataset) : dataset_(dataset) {
    for (const ExportedIndex& index : dataset.indices()) {
      const std::int64_t length = dataset.shape()[static_cast<std::size_t>(index.axis)];
      cells_.push_back(index.axis == 0 ? std::vector<std::string>() : cells_of(index, 0, length));
    }
  }

  void read(std::int64_t first, std::int64_t count) {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const ExportedIndex& index = dataset_.indices()[i];
      if (index.axis == 0) cells_[i] = cells_of(index, first, count);
    }
  }

  /// Appends line `line` of row `row` of the block, each cell with a comma behind it.
  void append(std::string& text, std::int64_t row, std::int64_t line) const {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const int axis = dataset_.indices()[i].axis;
      std::int64_t place = row;
      if (axis > 0) {
        std::int64_t inner = 1;
        const auto& shape = dataset_.shape();
        for (std::size_t k = static_cast<std::size_t>(axis) + 1; k + 1 < shape.size(); ++k) {
          inner *= shape[k];
        }
        place = line / inner % shape[static_cast<std::size_t>(axis)];
      }
      text += cells_[i][static_cast<std::size_t>(place)];
      text += ',';
    }
  }

 private:
  std::vector<std::string> cells_of(const ExportedIndex& index, std::int64_t first,
                                    std::int64_t count) const {
    std::vector<std::string> cells;
    cells.reserve(static_cast<std::size_t>(count));
    std::visit(
        [&](const auto& values) {
          for (const auto& value : values) {
            std::string& cell = cells.emplace_back();
            if constexpr (std::same_as<std::decay_t<decltype(value)>, std::int64_t>) {
              if (index.is_date) {
                cell = date_text(value);
                continue;
              }
            }
            append_cell(cell, value);
          }
        },
        dataset_.read_index(index, first, count));
    return cells;
  }

  const ExportedDataset& dataset_;
  std::vector<std::vector<std::string>> cells_;
};

void write_csv_texts(const ExportedDataset& dataset, CsvIndices& indices, NewFile& file) {
  const std::vector<std::string> texts = dataset.read_texts();
  std::string out;
  constexpr std::size_t block = 4096;
  for (std::size_t first = 0; first < texts.size(); first += block) {
    const std::size_t count = std::min(block, texts.size() - first);
    indices.read(static_cast<std::int64_t>(first), static_cast<std::int64_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      indices.append(out, static_cast<std::int64_t>(i), 0);
      // An empty line would be none for many readers.
      if (texts[first + i].empty()) {
        out += "\"\"";
      } else {
        append_cell(out, texts[first + i]);
      }
      out += '\n';
    }
    file.write(out);
    out.clear();
  }
}

template <class T>
void write_csv_numbers(const ExportedDataset& dataset, CsvIndices& indices, NewFile& file) {
  const std::int64_t rows = dataset.rows();
  const auto columns = static_cast<std::int64_t>(dataset.columns().size());
  if (columns == 0) return;
  std::vector<T> values;
  std::string out;
  for (std::int64_t first = 0; first < rows; first += dataset.block()) {
    const std::int64_t count = std::min(dataset.block(), rows - first);
    values.resize(static_cast<std::size_t>(count * dataset.numbers_per_row()));
    dataset.read_rows(first, count, values.data());
    indices.read(first, count);
    std::size_t at = 0;
    for (std::int64_t row = 0; row < count; ++row) {
      for (std::int64_t line = 0; line < dataset.lines_per_row(); ++line) {
        indices.append(out, row, line);
        for (std::int64_t column = 0; column < columns; ++column) {
          if (column > 0) out += ',';
          append_cell(out, values[at++]);
        }
        out += '\n';
      }
      if (out.size() > (std::size_t{1} << 20)) {
        file.write(out);
        out.clear();
      }
    }
    file.write(out);
    out.clear();
  }
}

}  // namespace

void write_csv(const ExportedDataset& dataset, NewFile& file) {
  std::string header;
  for (const ExportedIndex& index : dataset.indices()) {
    append_cell(header, index.name);
    header += ',';
  }
  for (const std::string& column : dataset.columns()) {
    append_cell(header, column);
    header += ',';
  }
  if (!header.empty()) header.back() = '\n';
  file.write(header);
  CsvIndices indices(dataset);
  switch (dataset.type()) {
    case hdf5::Type::text:
      return write_csv_texts(dataset, indices, file);
    case hdf5::Type::int32:
      return write_csv_numbers<std::int32_t>(dataset, indices, file);
    case hdf5::Type::int64:
      return write_csv_numbers<std::int64_t>(dataset, indices, file);
    case hdf5::Type::uint8:
      return write_csv_numbers<std::uint8_t>(dataset, indices, file);
    case hdf5::Type::float32:
      return write_csv_numbers<float>(dataset, indices, file);
    case hdf5::Type::float64:
      return write_csv_numbers<double>(dataset, indices, file);
    case hdf5::Type::other:
      break;
  }
  throw InternalError("[write_csv] a dataset of no type that is exported");
}

}  // namespace gaia
