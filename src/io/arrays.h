// SPDX-License-Identifier: MIT
/// \file
/// Arrays by name in HDF5 files: weights of networks, data sets, anything.
///
///     io::save("weights.h5", net.state());
///     net.set_state(io::load("weights.h5"));
#pragma once

#include <string>

#include "../array/array_map.h"
#include "foreign_hdf5/hdf5_reader.h"

namespace gaia::io {

struct SaveOptions {
  bool overwrite = false;  ///< Replace a file that exists.
};

/// Writes every array with its dtype and shape.  The parts of a name, cut at '.' and '/', become
/// groups: "0.weights" is the dataset /0/weights.  The file is written as PATH.partial, brought to
/// the disk and renamed, so that PATH is always whole; folders on the way are made.  bool is stored
/// as uint8, bfloat16 as float32, both exactly, with the dtype as an attribute.
/// \throws OutputError if the file exists (unless `overwrite`) or cannot be written, LockedError
///         while another process writes it, ArgumentError for a name with an empty part or one that
///         is both an array and a group.
void save(const std::string& path, const ArrayMap& arrays, const SaveOptions& options = {});

/// The arrays of a file, on the current device, under their names with '.' between the parts.  All
/// datasets of numbers are read, whoever wrote them; those that `save` did not write have the dtype
/// of their numbers, small integers as int32.
/// The file is read by a process of its own unless it is trusted (hdf5_reader.h).
/// \throws DataError for a file that cannot be read, is damaged or hostile, is of a later format,
/// or
///         holds a dataset that is no array of numbers; OutOfMemory for more than this machine has.
ArrayMap load(const std::string& path, const hdf5::ReaderOptions& options = {});

}  // namespace gaia::io
