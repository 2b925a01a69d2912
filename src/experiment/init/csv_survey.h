// SPDX-License-Identifier: MIT
/// \file
/// What is in tables of text, for those who have no experiment with them yet.
#pragma once

#include <string>
#include <vector>

#include "trial_survey.h"

namespace gaia {

/// The decimal mark by which more of the first records of a file are numbers.
char decimal_of(const std::string& path);

/// Reads CSV files one after the other, as trials or as what trials are in, and tells what the
/// columns of the first are good for.  \throws DataError for what is no table.
TableSurvey survey_csv(const std::vector<std::string>& paths, char decimal);

}  // namespace gaia
