// SPDX-License-Identifier: MIT
/// \file
/// Arrays in files, whose format is what the name of the file ends with:
///
///     .h5, .hdf5   HDF5, any arrays by name: weights of networks, data sets
///     .npy         NumPy's file of one array
///     .npz         NumPy's archive of arrays by name
///     .csv         a table: one array [rows] or [rows, columns], or columns [rows] by their names
///
///     io::save("weights.h5", net.state());
///     net.set_state(io::load("weights.h5"));
///     io::save("samples.npy", x);
///     const Array x = io::load_array("samples.npy");
#pragma once

#include <string>

#include "../array/array_map.h"
#include "foreign_hdf5/hdf5_reader.h"

namespace gaia::io {

struct SaveOptions {
  bool overwrite = false;  ///< Replace a file that exists.
};

/// Writes every array with its dtype and shape; a file is whole or not there, and folders on the
/// way are created.  bfloat16 is stored as float32, exactly.
///
/// In HDF5 the parts of a name, cut at '.' and '/', become groups: "0.weights" is the dataset
/// /0/weights; the dtype is an attribute, bool is stored as uint8.  In CSV numbers have the fewest
/// digits that read back as the same; infinity is refused.
/// \throws OutputError if the file exists (unless `overwrite`) or cannot be written, LockedError
///         while another process writes it, ArgumentError for a name of a file that ends otherwise,
///         for arrays that the format cannot hold, and for a name of an array with an empty part or
///         one that is both an array and a group.
void save(const std::string& path, const ArrayMap& arrays, const SaveOptions& options = {});
/// The same of one array, which is called "array" where the format has names.
void save(const std::string& path, const Array& x, const SaveOptions& options = {});

/// The arrays of a file, on the current device, under their names; "array" is what has none.  A
/// file of another name is read if it begins as HDF5 does.
///
/// All datasets of numbers in HDF5 are read, no matter who wrote them, with '.' between the parts
/// of their names; those that `save` did not write have the dtype of their numbers.  Small integers
/// are int32, unsigned ones of 32 bits int64.  HDF5 is read by a process of its own unless it is
/// trusted (hdf5_reader.h).  Of NumPy's archives deflated ones are read too.  Columns of CSV are
/// float64, an empty cell NaN. \throws DataError for a file that cannot be read, is damaged or
/// hostile, is of a later format, or
///         holds what is no array of numbers; ArgumentError for a file of another kind; OutOfMemory
///         for more than this machine has.
ArrayMap load(const std::string& path, const hdf5::ReaderOptions& options = {});
/// The one array of a file.  \throws as load, DataError if there are more or none.
Array load_array(const std::string& path, const hdf5::ReaderOptions& options = {});

}  // namespace gaia::io
