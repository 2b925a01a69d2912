// SPDX-License-Identifier: MIT
/// \file
/// Which forecast of a series is worth beginning with.
#pragma once

#include <cstdint>

#include "../../io/series.h"

namespace gaia {

/// Shares of a series at which parts end: nothing is read out of the first, readouts are trained on
/// the second and judged on the third.
constexpr double kLearningShare = 0.3;
constexpr double kTrainingShare = 0.7;

struct ForecastChoice {
  std::int64_t channel = 0;
  std::int64_t horizon = 1;  ///< Steps.
  std::int64_t window = 1;   ///< Rows in one sample.
  double ridge = 1e-6;
  double r2 = 0.0;              ///< On the part that it was chosen by,
  double persistence_r2 = 0.0;  ///< beside persistence there.
};

/// Of the first channel that changes in all three parts: so far ahead that half of its correlation
/// is gone, or nearer, where ridge regression of the change from now is clearly better than
/// persistence, or one step; with the smallest window and then the strongest regularisation that
/// cannot be told from the best.  The change is what is learnt, so that a strong regularisation
/// makes it persistence: where there is little to be learnt from, it is hardly worse.  Of the first
/// 20 000 rows regressions learn from the first 30 % and are compared on the next 20 %, and from
/// the first half and are compared on what follows up to the part that readouts are judged on.
ForecastChoice choose_forecast(Series& series);

}  // namespace gaia
