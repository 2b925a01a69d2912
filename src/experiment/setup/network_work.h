// SPDX-License-Identifier: MIT
/// \file
/// What training a network asks of a device.
#pragma once

#include "../../array/placement.h"
#include "load.h"

namespace gaia {

/// The work of all epochs: every layer's products and passes, forwards and back, from the shapes
/// that one sample has on its way through the network.
Work network_work(const Experiment& experiment);

}  // namespace gaia
