// SPDX-License-Identifier: MIT
/// \file
/// Tables of text.
#pragma once

#include "file_format.h"

namespace gaia {

class CsvFormat final : public FileFormat {
 public:
  std::vector<std::string> endings() const override { return {".csv"}; }
  std::unique_ptr<FileSeries> open(const std::string& path,
                                   const FileOptions& options) const override;
  /// By the decimal mark by which more of the first records are numbers; files are trials, or what
  /// trials are in, and have the columns of the first.
  FileSurvey survey(const std::vector<std::string>& paths) const override;
};

}  // namespace gaia
