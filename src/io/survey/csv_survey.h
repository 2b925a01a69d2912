// SPDX-License-Identifier: MIT
/// \file
/// What is in tables of text, for those who have no experiment with them yet.
#pragma once

#include <string>
#include <vector>

#include "file_survey.h"

namespace gaia {

/// Reads CSV files one after the other, as trials or as what trials are in, by the decimal mark by
/// which more of the first records are numbers, and tells what the columns of the first are good
/// for.  \throws DataError for what is no table.
FileSurvey survey_csv(const std::vector<std::string>& paths);

}  // namespace gaia
