// SPDX-License-Identifier: MIT
/// \file
/// What is in arrays of numbers, for those who have no experiment with them yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../joined_series.h"
#include "../memory_series.h"
#include "file_survey.h"

namespace gaia {

/// Takes the first of three axes for that of trials, and the longer of the others for time.
void guess_axes(FileSurvey& survey, const std::vector<std::int64_t>& shape);

/// Opens arrays with all of their columns, transposed where rows were taken for columns, and looks
/// through them.  Notes whether they are transposed, and whether values are missing.
void survey_arrays(FileSurvey& survey, const std::vector<std::string>& paths, const OpenFile& open);

/// Surveys rows in memory, whose names of columns tell which axis is that of channels.
FileSurvey survey_rows(const MemoryRows& rows);

}  // namespace gaia
