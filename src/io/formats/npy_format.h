// SPDX-License-Identifier: MIT
/// \file
/// Arrays of NumPy.
#pragma once

#include "../npy.h"
#include "../survey/array_survey.h"
#include "file_format.h"

namespace gaia {

class NpyFormat final : public FileFormat {
 public:
  std::vector<std::string> endings() const override { return {".npy"}; }
  bool is_signed(const InputFile& file) const override { return file.has_at(0, "\x93NUMPY"); }
  std::unique_ptr<FileSeries> open(const std::string& path,
                                   const FileOptions& options) const override {
    return open_npy(path, options);
  }
  FileSurvey survey(const std::vector<std::string>& paths) const override {
    return survey_npy(paths);
  }
};

}  // namespace gaia
