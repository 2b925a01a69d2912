// SPDX-License-Identifier: MIT
/// \file
/// What the neurons of a layer do to each other within a tick, as executors of rules call it.
#pragma once

#include <cstdint>

namespace gaia {

/// Stands between the drives z = W x of a tick and what a rule reads as f(z).  Of both types of
/// number only that of the layer is called.
class LateralTicks {
 public:
  virtual ~LateralTicks() = default;

  /// Writes the answers y [neurons] of one stream, from its drives z [neurons].
  virtual void answer(const float* z, float* y) = 0;
  virtual void answer(const double* z, double* y) = 0;

  /// At a tick that learns: what the layer shows of one stream, y [neurons].  Streams come one
  /// after another from 0 on; with the last one the connections learn.
  virtual void take(std::int64_t stream, const float* y) = 0;
  virtual void take(std::int64_t stream, const double* y) = 0;
};

}  // namespace gaia
