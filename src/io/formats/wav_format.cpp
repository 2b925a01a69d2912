// SPDX-License-Identifier: MIT
#include "wav_format.h"

#include "../survey/array_survey.h"

namespace gaia {

std::unique_ptr<FileSeries> WavFormat::open(const std::string& path,
                                            const FileOptions& options) const {
  return open_wav(path, options);
}

FileSurvey WavFormat::survey(const std::vector<std::string>& paths) const {
  FileSurvey survey;
  survey_arrays(survey, paths, open_wav);
  return survey;
}

}  // namespace gaia
