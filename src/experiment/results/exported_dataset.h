// SPDX-License-Identifier: MIT
/// \file
/// A dataset of a results file as a table, a few rows at a time: what `gaia export` and the Python
/// package write to files of other kinds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../io/foreign_hdf5/hdf5_reader.h"

namespace gaia {

/// Bytes of a row of the first axis beyond which a dataset is not exported.
inline constexpr std::int64_t kWidestExportedRow = std::int64_t{1} << 28;

/// What says where along an axis, all but the last of several, a line of the table is.
struct ExportedIndex {
  std::string name;  ///< "step", "time", "neuron"; "axis0" of an axis without a coordinate.
  int axis = 0;
  bool is_date = false;  ///< Nanoseconds since 1970, of which each is a date.
  /// int64, float64 or text.
  hdf5::Type type = hdf5::Type::int64;
  /// Dataset that holds it; null: it counts from 0.
  const hdf5::DatasetDescription* dataset = nullptr;
  std::vector<std::string> texts = {};  ///< All of them, of type text.
};

/// Values of an index, one for each place along its axis.
using IndexValues =
    std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

/// The table of a dataset [a, b, ..., n]: a line for each of a * b * ..., with the indices of the
/// axes but the last, and a column for each of n.  One axis gives one column, a scalar one number.
class ExportedDataset {
 public:
  /// `path` is one of the dataset's names.  \throws ArgumentError for a path that leads to no
  /// dataset, DataError for numbers that cannot be had or rows that are too wide.
  ExportedDataset(hdf5::Reader& reader, const std::string& path);

  const std::string& path() const { return path_; }
  const std::vector<std::int64_t>& shape() const { return description_->shape; }
  /// A number's, or text.
  hdf5::Type type() const { return type_; }
  const std::vector<ExportedIndex>& indices() const { return indices_; }
  /// Names of the columns: "representation.0", "prediction.flow", "target".
  const std::vector<std::string>& columns() const { return columns_; }

  /// Length of the first axis; of a scalar 1.
  std::int64_t rows() const;
  /// Lines of the table for each of them.
  std::int64_t lines_per_row() const { return lines_per_row_; }
  std::int64_t numbers_per_row() const;
  /// Rows of the first axis that are best read at once.
  std::int64_t block() const;

  /// Numbers of rows [first, first + count), of the type that the dataset has.
  template <class T>
  void read_rows(std::int64_t first, std::int64_t count, T* values) const {
    reader_->read_rows(*description_, first, count, values);
  }
  /// All of a dataset of texts.
  std::vector<std::string> read_texts() const { return reader_->read_texts(*description_); }
  /// What an index says of rows [first, first + count) of its axis.
  IndexValues read_index(const ExportedIndex& index, std::int64_t first, std::int64_t count) const;

 private:
  void find_indices();
  void name_columns();
  void add_index(const hdf5::DatasetDescription& scale, int axis);

  hdf5::Reader* reader_;
  const hdf5::DatasetDescription* description_;
  std::string path_;
  hdf5::Type type_ = hdf5::Type::float64;
  std::int64_t lines_per_row_ = 1;
  std::vector<ExportedIndex> indices_;
  std::vector<std::string> columns_;
};

/// Paths of the datasets of a file that can be exported, but those of the state from which a run
/// goes on, and, each with the reason, those that cannot.
struct Exportable {
  std::vector<std::string> paths;
  std::vector<std::string> refusals;
};
Exportable exportable(const hdf5::Contents& contents);

}  // namespace gaia
