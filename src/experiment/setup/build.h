// SPDX-License-Identifier: MIT
/// \file
/// From a config to the hierarchy that it describes.
#pragma once

#include <cstdint>

#include "../../hierarchy/manager.h"
#include "../config/config.h"

namespace gaia {

/// The hierarchy of an experiment that reads samples of `features` numbers, on the current device.
/// The initial weights of layer M of level N come from the stream "levels/N/layers/M/weights" of
/// the experiment's seed, so that adding a level does not change the others'.
HierarchyManager build_hierarchy(const ExperimentConfig& config, std::int64_t features);

/// The stream of a layer: one built with it (ReactiveOptions::random, ...) begins with the weights
/// that an experiment gives to layer `layer` of level `level`, both counted from 0.
RandomStream weights_stream(std::int64_t seed, std::size_t level, std::size_t layer);

/// What a level reads: the size of the representation below it, times its resolution under concat.
std::int64_t pooled_size(const LevelConfig& level, std::int64_t below);

}  // namespace gaia
