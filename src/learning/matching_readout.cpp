// SPDX-License-Identifier: MIT
#include "matching_readout.h"

#include "../core/error.h"

namespace gaia {

std::unique_ptr<ReadoutModel> MatchingOptions::make(const ReadoutSizes& /*sizes*/) const {
  return std::make_unique<MatchingReadout>();
}

void MatchingReadout::set_solution(const ReadoutSolution& /*solution*/) {
  throw ArgumentError("[MatchingReadout] learns nothing that another could take over");
}

void MatchingReadout::set_state(std::span<const double> state) {
  if (!state.empty()) throw ShapeError("[MatchingReadout] has no state, got some");
}

}  // namespace gaia
