// SPDX-License-Identifier: MIT
/// \file
/// A short trial of the readouts of a run: how long they would take.
#pragma once

#include "../data/experiment.h"

namespace gaia {

/// Seconds that the readouts of a hierarchy's run take, and those of its controls: for reading, for
/// being trained, and for predicting.  What levels and controls compute is not counted.
///
/// Readouts are trained on the first rows of the series, more and more of them, as long as a share
/// of a second lasts; from there the time grows in a straight line to that of all rows that the run
/// trains them on.  Nothing is written, and the run finds everything as it was.
double readout_seconds(const Experiment& experiment);

}  // namespace gaia
