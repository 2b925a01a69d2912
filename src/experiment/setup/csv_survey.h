// SPDX-License-Identifier: MIT
/// \file
/// What is in tables of text, for those who have no experiment with them yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "column_survey.h"

namespace gaia {

/// The decimal mark by which more of the first records of a file are numbers.
char decimal_of(const std::string& path);

/// Reads CSV files once, one after the other as trials, and tells what the columns of the first are
/// good for; how many rows all of them have.  \throws DataError for what is no table.
std::int64_t survey_csv(const std::vector<std::string>& paths, char decimal,
                        std::vector<SurveyedColumn>& columns);

}  // namespace gaia
