// SPDX-License-Identifier: MIT
/// \file
/// Whitening of the rows that an experiment reads (data.whiten).
#pragma once

#include "../config/problems.h"
#include "experiment.h"

namespace gaia {

/// Whitens the series that is open by its own rows, where data.whiten says so.
void whiten_by_rows(Experiment& experiment, const AddProblem& add);

/// Whitens the experiment's series as the run of hierarchy.from did.
void whiten_as_stored(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
