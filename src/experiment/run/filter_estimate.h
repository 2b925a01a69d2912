// SPDX-License-Identifier: MIT
/// \file
/// Which layers of a hierarchy filter, with which states and noise: for `gaia check`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../hierarchy/manager.h"

namespace gaia {

/// A layer that filters.
struct FilterEstimate {
  std::string layer;  ///< "hierarchy.levels[0].layers[1]"
  std::string model;  ///< "kalman velocity"
  std::int64_t states = 0;
  std::int64_t observed = 0;
  std::string state_noise;        ///< "0.01", or what its diagonal is; empty: none is reported.
  std::string observation_noise;  ///< The same.
  std::string adapts;             ///< "Q", "R", or "none".

  /// "kalman velocity, 4 states of 2 numbers that are observed; noise Q 0.01, R 1, which adapts".
  std::string text() const;
};

std::vector<FilterEstimate> filters_of(const HierarchyManager& hierarchy);

/// Numbers that a results file has of each tick of a level beside its representation.
std::int64_t tick_numbers(const HierarchicalLevel& level);

}  // namespace gaia
