// SPDX-License-Identifier: MIT
/// \file
/// Tables of text.
#pragma once

#include "../csv.h"
#include "../survey/csv_survey.h"
#include "file_format.h"

namespace gaia {

class CsvFormat final : public FileFormat {
 public:
  std::vector<std::string> endings() const override { return {".csv"}; }
  std::unique_ptr<FileSeries> open(const std::string& path,
                                   const FileOptions& options) const override {
    refuse_axes(path, options.axes);
    return open_csv(path, options);
  }
  FileSurvey survey(const std::vector<std::string>& paths) const override {
    return survey_csv(paths);
  }
};

}  // namespace gaia
