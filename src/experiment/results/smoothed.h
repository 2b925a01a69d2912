// SPDX-License-Identifier: MIT
/// \file
/// What later ticks say of the states that filters have followed, computed from a results file when
/// the run is over.
#pragma once

#include <cstdint>
#include <functional>

#include "growing_datasets.h"
#include "results_layout.h"

namespace gaia {

/// Places of `smoothed` and `smoothed_covariance` in a level whose filter asks for them.
void lay_out_smoothed(hdf5::Group& level, const HierarchicalLevel& of, std::int64_t rows,
                      std::int64_t block_rows, const GrowingDatasets& growing,
                      ResultsLayout::Level& made);

/// Fills them from the ticks that the level has in the file, trial by trial, the last tick first.
/// `rows_before(step)`: how many of its ticks are before step `step`.
void write_smoothed(ResultsLayout::Level& level, const HierarchicalLevel& of, const Trials& trials,
                    const std::function<std::int64_t(std::int64_t)>& rows_before);

}  // namespace gaia
