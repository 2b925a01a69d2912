// SPDX-License-Identifier: MIT
/// \file
/// What a person is told of a network before it is trained.
#pragma once

#include <string>

#include "needs.h"

namespace gaia {

/// "dense 128 relu > dense 10, adam, cross_entropy"
std::string network_line(const NetworkConfig& network);

CheckedExperiment checked_network(const Experiment& experiment);

}  // namespace gaia
