// SPDX-License-Identifier: MIT
/// \file
/// data.spikes: every row becomes a trial of spikes.
#pragma once

#include <cstdint>

namespace gaia {

struct SpikesConfig {
  bool is_on = false;
  std::int64_t ticks = 100;  ///< Rows of a trial.
  double rate = 0.06;        ///< Probability of a spike at a tick where the value is 1.

  friend bool operator==(const SpikesConfig&, const SpikesConfig&) = default;
};

}  // namespace gaia
