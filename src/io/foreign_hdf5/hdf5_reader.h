// SPDX-License-Identifier: MIT
/// \file
/// HDF5 files, and MATLAB files of level 5, that somebody else wrote.
///
/// libhdf5 crashes or hangs on some damaged files and follows others out of the file.  So files of
/// others are read by a process of their own, gaia-hdf5-reader, which has limits on memory and
/// time, can open nothing but the file, and loads no plugins; what happens to it is an error here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hdf5_contents.h"
#include "reader_process.h"

namespace gaia::hdf5 {

struct ReaderOptions {
  /// Read in this process, without limits.  What Description::refusal tells of is refused even so.
  bool trusted = false;
  ReaderLimits limits = {};
};

/// A file that is read through its contents.
class Reader {
 public:
  virtual ~Reader() = default;

  const Contents& contents() const { return contents_; }

  /// Rows [first, first + rows) of the first axis (of a scalar: the value), converted to T.
  /// \throws DataError if they cannot be read.
  template <class T>
  void read_rows(const DatasetDescription& dataset, std::int64_t first, std::int64_t rows,
                 T* values);
  /// The whole dataset.  \throws DataError also where the numbers are refused.
  template <class T>
  std::vector<T> read(const DatasetDescription& dataset);
  /// The texts of a dataset that holds some.  \throws DataError also for one that is longer than a
  /// cell has room for.
  std::vector<std::string> read_texts(const DatasetDescription& dataset);

 protected:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  virtual void read_bytes(const DatasetDescription& dataset, Type type, std::int64_t first,
                          std::int64_t rows, std::span<char> bytes) = 0;

  std::string file_;
  Contents contents_;

 private:
  [[noreturn]] void refuse(const DatasetDescription& dataset, const std::string& why) const;
};

/// \throws DataError for a file that is neither an HDF5 file nor a MATLAB file of level 5, not a
/// regular file, damaged or hostile
///         ("x.h5: damaged or hostile (reader crashed: signal 11)"), or holds too much; Error if
///         gaia-hdf5-reader cannot be started.
std::unique_ptr<Reader> open_reader(const std::string& path, const ReaderOptions& options = {});

/// Reads the whole of a file once in a process of its own, so that what opens it here next has seen
/// it survive that.  \throws as open_reader().
void probe(const std::string& path, const ReaderLimits& limits = {});

}  // namespace gaia::hdf5
