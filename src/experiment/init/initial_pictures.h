// SPDX-License-Identifier: MIT
/// \file
/// An experiment to begin with, for pictures.
#pragma once

#include <string>

namespace gaia {

/// Whether a path is a file of pictures in the IDX format, plain or packed by gzip, a PNG or JPEG
/// file, or a folder of these.
bool holds_pictures(const std::string& path);

/// A YAML file that reads pictures, with comments, as it would stand in `file`: a level that learns
/// patches of them, or, where the file of their classes lies beside an IDX file under MNIST's name,
/// or a folder has a subfolder for each class, whole pictures, of which a readout tells the class.
/// It runs at once.
/// \throws DataError for what cannot be read, or holds too few pictures.
std::string initial_pictures(const std::string& data, const std::string& file);

}  // namespace gaia
