// SPDX-License-Identifier: MIT
/// \file
/// What a reader should know before believing a run: dead and saturated neurons, numbers that are
/// not finite, weights that ran away, runs that did not end, readouts that simple forecasts beat.
#pragma once

#include <string>
#include <vector>

#include "readouts.h"
#include "survey.h"
#include "weights.h"

namespace gaia::report {

struct Finding {
  enum class Weight {
    note,     ///< Worth knowing.
    warning,  ///< Something is probably wrong.
    failure,  ///< The result cannot be used as it is.
  };
  Weight weight = Weight::note;
  std::string text;
};

/// Neurons whose output does not change over the last quarter of the run.
std::vector<std::int64_t> dead_neurons(const LevelSurvey& level);
/// Neurons that spend more than nine tenths of the last quarter at an end of their activation.
std::vector<std::int64_t> saturated_neurons(const LevelSurvey& level);
/// Pairs of neurons (at most a few are reported) whose weights point the same way or opposite ways,
/// |cos| > 0.999.
std::int64_t count_twins(const LayerSurvey& layer);

/// Everything that was noticed, the gravest first.
std::vector<Finding> find_all(const Result& result, const std::vector<LevelSurvey>& levels,
                              const std::vector<LayerSurvey>& layers,
                              const std::vector<ReadoutFacts>& readouts);

}  // namespace gaia::report
