// SPDX-License-Identifier: MIT
/// \file
/// Which forecast of a series is worth beginning with.
#pragma once

#include "data_survey.h"

namespace gaia {

/// Shares of a series at which parts end: nothing is read out of the first, readouts are trained on
/// the second and judged on the third.
constexpr double kLearningShare = 0.3;
constexpr double kTrainingShare = 0.7;

/// A forecast of one step.
struct ForecastChoice {
  std::int64_t channel = 0;
  std::int64_t window = 1;  ///< Rows in one sample.
};

/// The first channel that changes in all three parts, from samples of at most 8 rows: fewer where
/// there are many channels, or few rows of a trial; 1 where the class of a trial is told, by means
/// over its rows.
ForecastChoice choose_forecast(const DataSurvey& survey);

}  // namespace gaia
