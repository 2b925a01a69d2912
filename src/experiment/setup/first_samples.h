// SPDX-License-Identifier: MIT
/// \file
/// Layers that begin with samples as their weights (`init: samples`).
#pragma once

#include "../../hierarchy/manager.h"
#include "../config/problems.h"
#include "../data/experiment.h"
#include "../data/sample_reader.h"

namespace gaia {

/// Notes a problem with a layer that is to begin with samples where these are not known before
/// anything has run, as above other layers, or are too few.
void check_first_samples(const Experiment& experiment, const AddProblem& add);

/// Gives the first layer of the first level, where it is to begin with samples and not with what an
/// earlier run has learnt, its weights: of what it reads at the ticks of the training part (of the
/// first epoch) as many different rows as it has neurons, drawn by the seed.  \returns the
/// hierarchy.  \throws DataError where there are fewer.
HierarchyManager& begin_with_samples(HierarchyManager& hierarchy, const Experiment& experiment,
                                     SampleReader& samples);

}  // namespace gaia
