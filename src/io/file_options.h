// SPDX-License-Identifier: MIT
/// \file
/// How a file of data, or a table in memory, is read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "array_axes.h"
#include "file_series.h"
#include "foreign_hdf5/hdf5_reader.h"
#include "missing.h"

namespace gaia {

/// One for all formats, each of which looks at what its files have.
struct FileOptions {
  std::string dataset = {};  ///< HDF5, MATLAB: path in the file; empty: the only one with numbers.
  std::vector<std::string> columns = {};  ///< Names or indices from 0; empty: all with numbers.
  MissingPolicy missing = MissingPolicy::error;
  char decimal = '.';  ///< CSV: or a comma, where fields are separated by semicolons or tabs.
  hdf5::ReaderOptions reader = {};
  std::int64_t measured = kAllRows;  ///< The first rows, of which the first pass finds moments.
  SideOptions side = {};             ///< Columns; of HDF5 also datasets of one axis.
  std::string label_file = {};       ///< NPY: a file of integers or texts, one a row or a trial.
  std::string group_file = {};       ///< The same of groups.
  ArrayAxes axes = {};
  /// Moments of files before this one in a series, one for each of `columns`: its own go on from
  /// them.
  std::vector<Moments> before = {};
};

}  // namespace gaia
