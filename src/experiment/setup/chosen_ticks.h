// SPDX-License-Identifier: MIT
/// \file
/// Which ticks of its training part a readout is told the class of, and which of the others count
/// for its score.
#pragma once

#include "loader.h"

namespace gaia {

/// Finds them for every readout that asks for it:
/// - `labels`: few ticks of the training part, drawn by the seed of the experiment with one pass
///   over the classes there; whatever reads the readout is told the same.  A row that the data show
///   twice (Series::source_row) is drawn once at most, and asked for once by a readout that asks.
/// - `scored: unseen`: no ticks whose rows the data have shown before the first readout was
/// trained. Adds a problem where there are too few.  Needs data that are open, and readouts that
/// were checked.
void choose_ticks(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
