// SPDX-License-Identifier: MIT
/// \file
/// A short trial of a run: how long it would take on a device.
#pragma once

#include "../../array/placement.h"
#include "../../hierarchy/manager.h"
#include "../data/experiment.h"

namespace gaia {

/// Trial for the kind of the experiment, which must outlive the trial. It takes about a third of a
/// second; nothing is written, no random numbers are drawn that anything else draws, and the run
/// finds everything as it was.
DeviceTrial trial_of(const Experiment& experiment);

/// Trial of a hierarchy: a copy of it reads the first samples in blocks that grow to the length of
/// the run's, learns as in the run, is measured, and hands out what the run records; its controls
/// read such a block. Readouts and the results file are left out, which the host has to do wherever
/// the hierarchy computes.
DeviceTrial trial_of_hierarchy(const Experiment& experiment);

/// The same, of a hierarchy that was built for the experiment.
DeviceTrial trial_of(const Experiment& experiment, HierarchyManager hierarchy);

/// Trial of a network: a copy is trained on its first batches.
DeviceTrial trial_of_training(const Experiment& experiment);

/// Trial of a network that is not trained: it is run on its first samples, which are test samples
/// where there are images.
DeviceTrial trial_of_answers(const Experiment& experiment);

}  // namespace gaia
