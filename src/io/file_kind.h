// SPDX-License-Identifier: MIT
/// \file
/// Of which kind a data file is.
#pragma once

#include <string>

namespace gaia {

enum class FileKind { csv, npy, hdf5, unknown };

/// By how the file begins: HDF5 (also behind a block of the user's, as MATLAB 7.3 has it) and NPY
/// say so whatever their names; else by its name, in letters of either case: .csv, .npy, .h5,
/// .hdf5. \throws DataError, with the way out, for a file that says it is of a kind that is known
/// but not read, as classic netCDF, and for one that cannot be opened.
FileKind kind_of_file(const std::string& path);

}  // namespace gaia
