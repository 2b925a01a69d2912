// SPDX-License-Identifier: MIT
/// \file
/// An experiment to begin with, for a file of pictures.
#pragma once

#include <string>

namespace gaia {

/// Whether a file is one of pictures in the IDX format, plain or packed by gzip.
bool is_idx_pictures(const std::string& path);

/// A YAML file that reads the pictures of an IDX file, with comments, as it would stand in `file`:
/// a level that learns patches of them, or, where the file of their classes lies beside it under
/// MNIST's name, whole pictures, of which a readout tells the class.  It runs at once.
/// \throws DataError for a file that cannot be read, or holds too few pictures.
std::string initial_pictures(const std::string& data, const std::string& file);

}  // namespace gaia
