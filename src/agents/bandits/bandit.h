// SPDX-License-Identifier: MIT
/// \file
/// What plays arms that pay at random, and learns from what they pay.
#pragma once

#include <cstdint>

#include "../saved_state.h"

namespace gaia::agents {

/// Chooses one of `arms()` arms at a time.  What the others would have paid is never seen.
class Bandit {
 public:
  virtual ~Bandit() = default;

  virtual std::int64_t arms() const = 0;
  /// The arm to play now, from 0.
  virtual std::int64_t choose() = 0;
  /// What an arm has paid, in [0, 1]; whether it was chosen or given does not matter.
  /// \throws ArgumentError for an arm that there is not, and a reward outside [0, 1].
  virtual void learn(std::int64_t arm, double reward) = 0;

  /// Everything from which it goes on bit for bit, in one that was created alike.
  virtual SavedState save() const = 0;
  /// \throws ArgumentError for what no bandit of as many arms has saved.
  virtual void restore(const SavedState& saved) = 0;
};

}  // namespace gaia::agents
