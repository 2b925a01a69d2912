// SPDX-License-Identifier: MIT
/// \file
/// Size of what a run has learnt: its number of weights, from its results.
#pragma once

#include <cstdint>

#include "../../io/hdf5.h"

namespace gaia {

/// Numbers that the run of a hierarchy ends with and answers by: `weights`, `recurrent`, `bias` and
/// `feedback` of every layer, lateral and top-down weights and thresholds included, where a layer
/// has a `mask` its synapses alone; and weights and intercepts of all readouts.  What is remembered
/// (memories, traces, state, histories) is not counted.
std::int64_t count_weights(const hdf5::File& result);

}  // namespace gaia
