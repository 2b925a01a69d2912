// SPDX-License-Identifier: MIT
/// \file
/// WAV: sound, and whatever else is sampled by a sound card.
#pragma once

#include "../recordings/wav.h"
#include "file_format.h"

namespace gaia {

class WavFormat final : public FileFormat {
 public:
  std::vector<std::string> endings() const override { return {".wav"}; }
  bool is_signed(const InputFile& file) const override { return is_wav(file); }
  std::unique_ptr<FileSeries> open(const std::string& path,
                                   const FileOptions& options) const override;
  FileSurvey survey(const std::vector<std::string>& paths) const override;
};

}  // namespace gaia
