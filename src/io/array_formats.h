// SPDX-License-Identifier: MIT
/// \file
/// Arrays in files, one pair of functions for each format; arrays.h chooses between them.
#pragma once

#include <string>

#include "arrays.h"
#include "output_files.h"

namespace gaia::io {

inline constexpr WayOut kWayOut = {.replace = "the option overwrite",
                                   .rename = "choose another path"};

/// Name of the array in files that hold one and give it none.
inline constexpr const char* kNameless = "array";

void save_hdf5(const std::string& path, const ArrayMap& arrays, const SaveOptions& options);
ArrayMap load_hdf5(const std::string& path, const hdf5::ReaderOptions& options);

/// One array.  \throws ArgumentError for more.
void save_npy(const std::string& path, const ArrayMap& arrays, const SaveOptions& options);
ArrayMap load_npy(const std::string& path);

void save_npz(const std::string& path, const ArrayMap& arrays, const SaveOptions& options);
ArrayMap load_npz(const std::string& path);

/// One array of at most two axes without a header, or several of one axis and one length under a
/// header of their names.  \throws ArgumentError for others.
void save_csv(const std::string& path, const ArrayMap& arrays, const SaveOptions& options);
ArrayMap load_csv_columns(const std::string& path);

}  // namespace gaia::io
