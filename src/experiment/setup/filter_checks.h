// SPDX-License-Identifier: MIT
/// \file
/// What has to be right of layers that filter, and of values that are missing in what they read.
#pragma once

#include <cstdint>
#include <vector>

#include "../data/experiment.h"
#include "load.h"

namespace gaia {

/// Tells layers of levels that read samples of `features` numbers, and whose size follows from what
/// they read, how large they are.
void size_layers(std::vector<LevelConfig>& levels, std::int64_t features);

/// Notes what is wrong with layers that filter, and with `data.missing: keep` where something else
/// reads the data; adds warnings of what has no effect.
void check_filters(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
