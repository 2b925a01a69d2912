// SPDX-License-Identifier: MIT
/// \file
/// MATLAB's files of level 5; those of version 7.3 are HDF5 by their bytes.
#pragma once

#include "file_format.h"

namespace gaia {

/// Variables are read as datasets of HDF5 are, through the reader of files of others.
class MatlabFormat final : public FileFormat {
 public:
  std::vector<std::string> endings() const override { return {".mat"}; }
  bool is_signed(const InputFile& file) const override {
    return file.has_at(0, "MATLAB 5.0 MAT-file");
  }
  bool has_datasets() const override { return true; }
  std::unique_ptr<FileSeries> open(const std::string& path,
                                   const FileOptions& options) const override;
  FileSurvey survey(const std::vector<std::string>& paths) const override;
};

}  // namespace gaia
