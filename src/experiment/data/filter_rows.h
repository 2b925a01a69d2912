// SPDX-License-Identifier: MIT
/// \file
/// Filtering and resampling of the rows that an experiment reads (data.filter, data.resample).
#pragma once

#include "../config/problems.h"
#include "experiment.h"

namespace gaia {

/// Rows a second of a series: as it says itself; 1 / dt of events; or the median of the first 1000
/// steps of its times within a trial, which count seconds where they are no dates.  Nothing where
/// it tells none of them.
std::optional<double> rate_told(Series& series, const DataConfig& data);

/// Filters the series that is open, where data.filter or data.resample say so; tells
/// data.sample_rate what the series says, where frequencies need it.
/// \throws DataKeyError for frequencies that the rate does not have.
void filter_rows(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
