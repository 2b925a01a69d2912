// SPDX-License-Identifier: MIT
/// \file
/// Whether the labels of surveyed data can be learnt, and by which parts.
#pragma once

#include <cstddef>
#include <vector>

#include "data_survey.h"

namespace gaia {

/// Finds is_label_of_trial, folds and can_classify of data whose series is open.  `groups`: of each
/// trial which group it is of; empty without groups.
void look_at_classes(DataSurvey& survey, const std::vector<std::size_t>& groups);

}  // namespace gaia
