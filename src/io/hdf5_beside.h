// SPDX-License-Identifier: MIT
/// \file
/// Datasets of one axis that stand beside a table in an HDF5 file: times, targets, labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foreign_hdf5/hdf5_reader.h"
#include "series.h"
#include "table_series.h"

namespace gaia {

/// Looks for the side columns of a table among the datasets of its file.
class Hdf5Beside {
 public:
  /// Names begin in the table's folder unless they begin with '/'.
  Hdf5Beside(std::string path, hdf5::Reader& reader, const hdf5::DatasetDescription& table)
      : path_(std::move(path)), reader_(reader), table_(table) {}

  /// Takes what is a dataset out of `side`; the rest may be columns.  A time or a target has one
  /// value a row or, of a table of trials, one for each of the `trial_rows` rows of every trial.
  /// A time may also be a scalar with an attribute `rate`, as starting_time of NWB's TimeSeries is:
  /// row i was taken i / rate after it.
  /// \throws DataError for datasets that cannot be used, DataKeyError for an absolute path that
  /// leads to none.
  BesideTable read(SideOptions& side, std::int64_t rows, std::int64_t trial_rows);

 private:
  const hdf5::DatasetDescription* find(const char* key, const std::string& name) const;
  std::string place(const hdf5::DatasetDescription& dataset, const char* key) const;
  /// `are_counts` says whether whole times are numbers that go beyond 2^53, and no dates.
  SideValues times(const hdf5::DatasetDescription& dataset, bool& are_counts);
  std::vector<double> numbers(const hdf5::DatasetDescription& dataset, const char* key);
  /// Exactly. \throws DataError for those beyond 64 bits with a sign.
  std::vector<std::int64_t> integers(const hdf5::DatasetDescription& dataset, const char* key);
  /// Texts, and whole numbers as texts; "" where there is none.
  std::vector<std::string> names(const hdf5::DatasetDescription& dataset, const char* key);
  /// The times that a start and a rate tell.
  std::vector<double> even_times(const hdf5::DatasetDescription& start, std::int64_t rows);
  void check_axis(const hdf5::DatasetDescription& dataset, const char* key) const;

  std::string path_;
  hdf5::Reader& reader_;
  const hdf5::DatasetDescription& table_;
};

/// Rows a second, as a table's attribute `rate` or that of a scalar `starting_time` in its folder
/// tells (the TimeSeries of NWB); nothing where none is a number above 0.
std::optional<double> hdf5_rate(const hdf5::Contents& contents,
                                const hdf5::DatasetDescription& table);

/// The dataset asked for; else the only one, or the only one that is neither a coordinate of
/// another nor among the side columns.  \throws ArgumentError if there is no such one.
const hdf5::DatasetDescription& choose_dataset(const hdf5::Contents& contents,
                                               const std::string& path, const std::string& asked,
                                               const SideOptions& side);

}  // namespace gaia
