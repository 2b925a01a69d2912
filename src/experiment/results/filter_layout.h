// SPDX-License-Identifier: MIT
/// \file
/// Paths in a results file of what filtering layers add: their numbers of each tick other than
/// `representation`, and their noise, which stands where the weights of other layers do.
#pragma once

#include <cstdint>

#include "growing_datasets.h"
#include "results_layout.h"

namespace gaia {

/// A dataset of a level that grows with `step`, with room for about `rows` ticks.
hdf5::Dataset lay_out_tick_series(hdf5::Group& level, const TickSeries& series,
                                  const hdf5::Dataset& step, bool has_times, std::int64_t rows,
                                  std::int64_t block_rows, const GrowingDatasets& growing);

/// Noise of a filter as it is at the end, and as it was at first, in `made`.
void lay_out_noise(hdf5::Group& layer, const NamedArray& part, ResultsLayout::Layer& made);

/// Noise of a filter over the run, at the steps `made.history_step`, with room for `rows` of them.
void lay_out_noise_history(hdf5::Group& layer, hdf5::Group& history, const NamedArray& part,
                           std::int64_t rows, const GrowingDatasets& growing,
                           ResultsLayout::Layer& made);

}  // namespace gaia
