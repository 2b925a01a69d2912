// SPDX-License-Identifier: MIT
/// \file
/// HDF5, which netCDF-4 and MATLAB 7.3 are too.
#pragma once

#include "file_format.h"

namespace gaia {

class Hdf5Format final : public FileFormat {
 public:
  std::vector<std::string> endings() const override { return {".h5", ".hdf5", ".nc"}; }
  /// The signature is looked for at 0, 512, 1024, 2048, ...: MATLAB has a block of its own before
  /// it.
  bool is_signed(const InputFile& file) const override;
  bool has_datasets() const override { return true; }
  std::unique_ptr<FileSeries> open(const std::string& path,
                                   const FileOptions& options) const override;
  /// Surveys the dataset with the most numbers that could be a series, with times and labels that
  /// stand beside it.
  FileSurvey survey(const std::vector<std::string>& paths) const override;
};

}  // namespace gaia
