// SPDX-License-Identifier: MIT
/// \file
/// EDF and BDF: recordings of EEG, sleep, and the like.
#pragma once

#include "../recordings/edf_header.h"
#include "file_format.h"

namespace gaia {

class EdfFormat final : public FileFormat {
 public:
  std::vector<std::string> endings() const override { return {".edf", ".bdf"}; }
  bool is_signed(const InputFile& file) const override { return is_edf(file); }
  std::unique_ptr<FileSeries> open(const std::string& path,
                                   const FileOptions& options) const override;
  /// Surveys the signals of the rate that most have; the others are reported.  Annotations are
  /// labels where they hold in half of the rows or more.
  FileSurvey survey(const std::vector<std::string>& paths) const override;
};

}  // namespace gaia
