// SPDX-License-Identifier: MIT
/// \file
/// Time series in HDF5 datasets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "array_axes.h"
#include "file_series.h"
#include "foreign_hdf5/hdf5_reader.h"
#include "missing.h"

namespace gaia {

struct Hdf5Options {
  std::string dataset = {};               ///< Path in the file; empty: the only one with numbers.
  std::vector<std::string> columns = {};  ///< Names or indices from 0; empty: all.
  MissingPolicy missing = MissingPolicy::error;
  hdf5::ReaderOptions reader = {};
  std::int64_t measured = kAllRows;  ///< The first rows, of which the first pass finds moments.
  SideOptions side = {};             ///< Columns, or datasets of one axis.
  ArrayAxes axes = {};
  std::vector<Moments> before = {};  ///< As CsvOptions has it.
};

/// Opens a dataset [rows] or [rows, columns] of integers, floating numbers or truth values (as h5py
/// stores them), checking it once block by block.  The attributes scale_factor, add_offset,
/// _Unsigned, _FillValue, missing_value, valid_range, valid_min and valid_max (CF conventions,
/// netCDF Users' Guide) are applied.  Columns are called by their index, or as the dataset's
/// attribute "columns" (a text with commas between the names, or a list of texts) names them; one
/// that does not fit is left out with a warning.  NaN is a missing value.  The file is read by a
/// process of its own unless it is trusted (hdf5_reader.h). \throws DataError "file: ..." for
/// content that cannot be used: other shapes and types, infinite numbers, missing values with
/// policy error, data that lies in other files, a file that is damaged or hostile; ArgumentError
/// for a dataset or columns that the file does not have.
std::unique_ptr<FileSeries> open_hdf5(const std::string& path, const Hdf5Options& options = {});

}  // namespace gaia
