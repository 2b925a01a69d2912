// SPDX-License-Identifier: MIT
/// \file
/// Diagnostics of the plastic_linear layers of a network that trains, one set after every epoch.
#pragma once

#include <cstddef>
#include <vector>

#include "../../array/array_map.h"
#include "../../layers/network/plastic_linear.h"
#include "../setup/build_network.h"

namespace gaia {

struct LayerDiagnostics {
  std::size_t layer = 0;  ///< Place of the layer in the config's list.
  PlasticLinearDiagnostics values;
};

/// The layers that have diagnostics, in their order, with those of this moment; waits for the
/// device.
std::vector<LayerDiagnostics> measure_diagnostics(const BuiltNetwork& network);

/// Adds them to the state of a training: at the end of an epoch its last batch is gone, and its
/// gradient with it.  Nothing where there are none.
void put_diagnostics(ArrayMap& arrays, const std::vector<LayerDiagnostics>& diagnostics);

/// Those that put_diagnostics left in a state, for the layers of `network`; none where it left
/// none.  \throws ShapeError for those of another network.
std::vector<LayerDiagnostics> take_diagnostics(const ArrayMap& arrays, const BuiltNetwork& network);

}  // namespace gaia
