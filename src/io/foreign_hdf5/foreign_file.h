// SPDX-License-Identifier: MIT
/// \file
/// A file of others that holds datasets, whatever its format: what gaia-hdf5-reader does its work
/// by.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "hdf5_contents.h"

namespace gaia::hdf5 {

class ForeignFile {
 public:
  virtual ~ForeignFile() = default;

  const std::string& path() const { return path_; }
  virtual std::int64_t bytes() const = 0;
  /// The same as contents_of().
  virtual Contents contents(const ContentsLimits& limits, const std::function<void()>& tell) = 0;
  /// Rows [first, first + rows) of the first axis of a dataset of contents() (of a scalar: the
  /// value), converted to `type`, the last axis innermost.  \throws DataError if they cannot be
  /// read.
  virtual void read_rows(const DatasetDescription& dataset, Type type, std::int64_t first,
                         std::int64_t rows, char* to) = 0;

 protected:
  explicit ForeignFile(std::string path) : path_(std::move(path)) {}

 private:
  std::string path_;
};

/// By its first bytes MATLAB 5, else HDF5.  \throws DataError for a file that is neither.
std::unique_ptr<ForeignFile> open_foreign_file(const std::string& path);

}  // namespace gaia::hdf5
