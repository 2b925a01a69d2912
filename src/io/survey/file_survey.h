// SPDX-License-Identifier: MIT
/// \file
/// What files of data, or rows in memory, tell of how they can be read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../file_options.h"
#include "trial_survey.h"

namespace gaia {

/// Rows below which nothing is learnt from data.
constexpr std::int64_t kFewestSurveyedRows = 50;

struct FileSurvey {
  FileOptions options = {};              ///< How they are read; columns are left to choose.
  TableSurvey table = {};                ///< What their columns are good for.
  std::vector<std::int64_t> shape = {};  ///< Shape of an array of trials, whose axes are guessed.
  std::vector<std::string> other_datasets = {};  ///< Datasets that could be read too.
  bool names_columns = false;     ///< Whether columns are named even where all are read.
  bool takes_label_file = false;  ///< Whether a second file can hold labels.
};

}  // namespace gaia
