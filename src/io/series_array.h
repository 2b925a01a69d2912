// SPDX-License-Identifier: MIT
/// \file
/// A whole series as an array.
#pragma once

#include <string>

#include "../array/array.h"
#include "csv.h"
#include "series.h"

namespace gaia::io {

/// All rows, [rows, channels], on the current device.
/// \throws DataError for content that cannot be used, OutOfMemory.
Array read_series(Series& series, DType dtype = DType::float32);

/// The columns of numbers of a CSV file, or those that are asked for: [rows, columns], on the
/// current device.  open_csv reads block by block what does not fit into memory, and tells names.
/// \throws as open_csv.
Array load_csv(const std::string& path, const FileOptions& options = {},
               DType dtype = DType::float32);

}  // namespace gaia::io
