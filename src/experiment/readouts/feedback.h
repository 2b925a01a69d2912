// SPDX-License-Identifier: MIT
/// \file
/// What readouts tell layers that read what they say (TemporalOptions::feedback).
///
/// At a step t of a trial the layer reads what belongs to the readout's last tick before t: while
/// the readout is trained its target, which is the teacher, from then on what the readout has
/// predicted itself.  Of one that learns online it is its own prediction from the first tick on,
/// errors and all (Sussillo & Abbott, 2009, Neuron 63, 544-557).  Where that is not known (a value
/// that is missing, a target behind the end of the trial), what was there before stays; a trial
/// begins with 0.
#pragma once

#include <cstdint>
#include <vector>

#include "readout.h"

namespace gaia {

/// Adds the signals of all `readouts` that are fed back, at `steps` steps from step `first` of the
/// trial that `samples` read last, which no readout has read yet.
void add_feedback(const std::vector<const Readout*>& readouts, const SampleReader& samples,
                  std::int64_t first, std::int64_t steps, TickSignals& signals);

/// The step of the series, `end` at most, at which a block from `step` on has to end, so that no
/// layer waits for what is said within it.
std::int64_t end_of_feedback(const std::vector<Readout>& readouts, std::int64_t step,
                             std::int64_t end);

}  // namespace gaia
