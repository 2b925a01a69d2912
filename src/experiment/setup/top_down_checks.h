// SPDX-License-Identifier: MIT
/// \file
/// What is checked of levels that hear a level above (TopDownOptions).
#pragma once

#include "../config/config.h"
#include "loader.h"

namespace gaia {

/// Checks that a connection from above belongs to the last layer of its level and comes from a
/// level above, that its list of targets fits, and that its rule has a rate where
/// hierarchy.schedule makes it fall.
void check_top_down(const ExperimentConfig& config, const AddProblem& add);

/// What the map of a connection from above reads beside samples while it learns, each with the key
/// by which it was named, below that of the layer.
struct LayerSignal {
  EquationSignalSource source;
  std::string key;
};
std::vector<LayerSignal> signals_of_top_down(const LayerConfig& layer);

}  // namespace gaia
