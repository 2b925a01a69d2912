// SPDX-License-Identifier: MIT
/// \file
/// One pass over the samples of a run: what the report draws of them.
#pragma once

#include <string>
#include <vector>

#include "decimate.h"
#include "inputs.h"
#include "result.h"
#include "spectrum.h"
#include "survey.h"

namespace gaia::report {

struct InputSurvey {
  std::string missing;  ///< Why nothing of the following is here; empty if it is.
  std::string origin;   ///< Place that the samples come from.
  std::vector<std::string> channels;
  std::string unit;                        ///< Unit of values: "standard deviations", "value", ...
  std::vector<std::vector<Point>> traces;  ///< Few channels by step, with their extremes.
  std::vector<std::vector<Point>> close;   ///< The same channels in the close-up, every step.
  Matrix map;  ///< Many channels: means over [stretches of steps, groups].
  std::int64_t steps_per_column = 1;
  Matrix close_map;  ///< The same groups in the close-up, every step.
  std::int64_t channels_per_row = 1;
  Spectrum spectrum;  ///< Mean over channels, by step.
};

/// Surveys the newest row of every sample.
InputSurvey survey_inputs(const Result& result, StepRange close_up);

}  // namespace gaia::report
