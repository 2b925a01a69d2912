// SPDX-License-Identifier: MIT
/// \file
/// Dates along an axis of steps: where a series says when each of its rows was, the steps of a plot
/// have dates, also where the rows have gaps.
#pragma once

#include <string>
#include <vector>

#include "axis.h"
#include "result.h"

namespace gaia::report {

/// When a step was, in seconds since 1970-01-01; between two of them time runs evenly.
struct DatedStep {
  double step = 0.0;
  double seconds = 0.0;
};

/// Some dated steps of a run, in order, with those at both sides of its largest gaps; empty where
/// its results have no dates, or these do not rise.
std::vector<DatedStep> dated_steps(const Result& result);

/// "2024-03-01", "2024-03-01 13:05" or "2024-03-01 13:05:20", as `step` seconds between ticks ask
/// for.
std::string date_text(double seconds, double step);

/// About `about` ticks at round dates along an axis of steps.
std::vector<Tick> date_ticks(const Scale& steps, const std::vector<DatedStep>& dates, int about);

/// For the script, which draws an axis anew: data-dates="step,seconds step,seconds ..." and as
/// ruler_attributes().
std::string dates_attributes(const std::vector<DatedStep>& dates);

}  // namespace gaia::report
