// SPDX-License-Identifier: MIT
/// \file
/// What layers with few weights need around every step of an optimiser.
#pragma once

#include <cstdint>
#include <vector>

#include "../layers/network/rewired_dense.h"
#include "../learning/optimisers.h"

namespace gaia {

/// The layers of a network that are rewired, and the optimiser that trains them: `fit` has one, and
/// a loop of one's own does
///
///     loss.backward();
///     rewiring.mask_gradients(step);  // step from 1
///     optimiser.step();
///     rewiring.end_step(step);
class Rewiring {
 public:
  /// Both must outlive it.
  Rewiring(Module& net, Optimiser& optimiser);

  bool is_empty() const { return layers_.empty(); }

  /// Gradients of weights that are not there become 0; those that decide what comes in this step
  /// are kept aside before.
  void mask_gradients(std::int64_t step);

  /// Weights that are not there are exactly 0 again; where it is time, some go and some come, and
  /// the optimiser forgets what it remembers of them.
  void end_step(std::int64_t step);

 private:
  struct Layer {
    RewiredDense* dense;
    std::size_t parameter;  // place in the optimiser; as many as it has: none
    Array gradient;         // whole, where products decide in this step
  };
  void find(Module& module);

  Optimiser& optimiser_;
  std::vector<Layer> layers_;
};

}  // namespace gaia
