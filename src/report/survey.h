// SPDX-License-Identifier: MIT
/// \file
/// One pass over what a level showed: everything that the report draws of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decimate.h"
#include "result.h"
#include "spectrum.h"
#include "spikes.h"

namespace gaia::report {

/// Steps [begin, end) of a run, shown in full.
struct StepRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Figures of one neuron, over the recorded ticks.
struct NeuronFigures {
  double mean = 0.0;
  double deviation = 0.0;
  double least = 0.0;
  double greatest = 0.0;
  double late_deviation = 0.0;   ///< Deviation over the last quarter.
  double largest_size = 0.0;     ///< Largest |y| in the last quarter.
  double saturated_share = 0.0;  ///< Share of the last quarter's ticks at an end of the activation.
  std::int64_t not_finite = 0;   ///< Ticks with NaN or infinity.
};

struct LevelSurvey {
  std::int64_t index = 0;
  std::int64_t temporal_resolution = 1;
  std::int64_t spacing = 1;  ///< Steps from one recorded tick to the next.
  std::int64_t ticks = 0;    ///< Ticks that are recorded, and safe in the file.
  std::int64_t neurons = 0;
  std::string pooling;
  std::string activation;  ///< Activation of the last layer.

  std::string missing;          ///< Why nothing of the following is here; empty if it is.
  bool is_read_partly = false;  ///< Only the beginning of every stretch of ticks was read.
  Matrix map;                   ///< Means over stretches of ticks [stretches, groups of neurons].
  std::int64_t ticks_per_column = 1;
  std::int64_t neurons_per_row = 1;
  std::vector<std::vector<Point>> traces;  ///< Answers of a few neurons by tick, with extremes.
  std::int64_t close_first = 0;            ///< First tick of the close-up.
  Matrix close;                            ///< [ticks of the close-up, groups of neurons].
  std::vector<NeuronFigures> figures;      ///< One for each neuron.
  bool is_binary = false;                  ///< Every answer is 0 or 1, and some are 1.
  Raster raster;                           ///< Ones of a level that is binary.
  Raster close_raster;                     ///< The same within the close-up.
  double mean_rate = 0.0;                  ///< Share of ones among all answers.
  Spectrum spectrum;                       ///< Mean over neurons, by tick.
  std::int64_t first_bad_tick = -1;        ///< The first with a number that is not finite.

  std::int64_t step_of(std::int64_t tick) const { return tick * spacing; }
};

/// Reads level `index`, with a close-up of some steps.
LevelSurvey survey_level(const Result& result, std::int64_t index, StepRange close_up);

/// The first of `rows` rows of a growing coordinate that is not before a step; `rows` if there is
/// none.
std::int64_t row_of_step(const Result& result, const std::string& coordinate, std::int64_t rows,
                         std::int64_t step);

/// How many levels there are.
std::int64_t count_levels(const Result& result);

/// Some hundred steps to be shown in full: of the first readout's test part a stretch whose target
/// varies as much as is usual there; without readouts from the middle of the run.
StepRange choose_close_up(const Result& result);

}  // namespace gaia::report
