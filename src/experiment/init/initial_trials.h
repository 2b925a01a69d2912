// SPDX-License-Identifier: MIT
/// \file
/// What an experiment to begin with says of trials and of classes.
#pragma once

#include <string>

#include "data_survey.h"

namespace gaia {

/// Keys of `data` by which rows of a trial, and trials of a group, belong together, as far as
/// columns tell; empty where none does.
std::string trials_text(const DataSurvey& survey);

/// The readout of classes, or why there is none; empty without labels.
std::string class_text(const DataSurvey& survey);

}  // namespace gaia
