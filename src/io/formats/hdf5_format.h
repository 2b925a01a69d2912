// SPDX-License-Identifier: MIT
/// \file
/// HDF5, which netCDF-4 and MATLAB 7.3 are too.
#pragma once

#include "../hdf5_series.h"
#include "../survey/hdf5_survey.h"
#include "file_format.h"

namespace gaia {

class Hdf5Format final : public FileFormat {
 public:
  std::vector<std::string> endings() const override { return {".h5", ".hdf5", ".nc"}; }
  /// The signature is looked for at 0, 512, 1024, 2048, ...: MATLAB has a block of its own before
  /// it.
  bool is_signed(const InputFile& file) const override {
    for (std::int64_t offset = 0; offset < file.size(); offset = offset == 0 ? 512 : 2 * offset) {
      if (file.has_at(offset, "\x89HDF\r\n\x1a\n")) return true;
    }
    return false;
  }
  bool has_datasets() const override { return true; }
  std::unique_ptr<FileSeries> open(const std::string& path,
                                   const FileOptions& options) const override {
    return open_hdf5(path, options);
  }
  FileSurvey survey(const std::vector<std::string>& paths) const override {
    return survey_hdf5(paths);
  }
};

}  // namespace gaia
