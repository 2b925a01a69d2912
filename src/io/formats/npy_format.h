// SPDX-License-Identifier: MIT
/// \file
/// Arrays of NumPy.
#pragma once

#include "file_format.h"

namespace gaia {

class NpyFormat final : public FileFormat {
 public:
  std::vector<std::string> endings() const override { return {".npy"}; }
  bool is_signed(const InputFile& file) const override { return file.has_at(0, "\x93NUMPY"); }
  std::unique_ptr<FileSeries> open(const std::string& path,
                                   const FileOptions& options) const override;
  /// Labels of an only array of trials may stand in a second one beside it.
  FileSurvey survey(const std::vector<std::string>& paths) const override;
};

}  // namespace gaia
