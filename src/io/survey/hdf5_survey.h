// SPDX-License-Identifier: MIT
/// \file
/// What is in HDF5 files, for those who have no experiment with them yet.
#pragma once

#include <string>
#include <vector>

#include "file_survey.h"

namespace gaia {

/// Takes the dataset with the most numbers that could be a series, with times and labels that stand
/// beside it, and notes the others.  \throws DataError for a result of gaia, and where there is no
/// such dataset.
FileSurvey survey_hdf5(const std::vector<std::string>& paths);

}  // namespace gaia
