// SPDX-License-Identifier: MIT
/// \file
/// Time series in HDF5 datasets.
#pragma once

#include <memory>
#include <string>

#include "file_options.h"

namespace gaia {

/// Opens a dataset [rows] or [rows, columns] of integers, floating numbers or truth values (as h5py
/// stores them), checking it once block by block.  The attributes scale_factor, add_offset,
/// _Unsigned, _FillValue, missing_value, valid_range, valid_min and valid_max (CF conventions,
/// netCDF Users' Guide) are applied.  Columns are called by their index, or as the dataset's
/// attribute "columns" (a text with commas between the names, or a list of texts) or else a
/// coordinate of texts along them names them; an attribute that does not fit is left out with a
/// warning.  NaN is a missing value.  Side columns are columns, or datasets of one axis that stand
/// beside it (hdf5_beside.h).  The file is read by a process of its own unless it is trusted
/// (hdf5_reader.h). \throws DataError "file: ..." for content that cannot be used: other shapes and
/// types, infinite numbers, missing values with policy error, data that lies in other files, a file
/// that is damaged or hostile; ArgumentError for a dataset or columns that the file does not have.
std::unique_ptr<FileSeries> open_hdf5(const std::string& path, const FileOptions& options = {});

}  // namespace gaia
