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
/// they read, how large they are, and what picture those of type conv2d read where their keys do
/// not say it: `picture` is the shape of a sample, empty if it is none.
void size_layers(std::vector<LevelConfig>& levels, std::int64_t features,
                 const std::vector<std::int64_t>& picture = {});

/// Notes what keeps layers from reading what they read, what is wrong with those that filter, and
/// with `data.missing: keep` where something else reads the data; adds warnings of what has no
/// effect.
void check_filters(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
