// SPDX-License-Identifier: MIT
/// \file
/// What every bandit asks of what it is told.
#pragma once

#include <cmath>
#include <cstdint>

#include "../../core/message.h"

namespace gaia::agents {

/// \throws ArgumentError for an arm that there is not, and a reward outside [0, 1].
inline void check_play(const char* who, std::int64_t arm, std::int64_t arms, double reward) {
  require(arm >= 0 && arm < arms, "[{}] arm: expected 0 to {}, got {}", who, arms - 1, arm);
  require(reward >= 0 && reward <= 1,
          "[{}] reward: expected a number from 0 to 1, got {}; scale rewards to that range", who,
          reward);
}

/// \throws ArgumentError for what no counter has saved.
inline void check_count(const char* who, const char* name, double count) {
  constexpr double kMost = 9007199254740992.0;  // 2^53: whole numbers are exact below
  require(count >= 0 && count < kMost && count == std::floor(count),
          "[{}] restore: {}: expected whole numbers from 0 below 2^53, got {}", who, name, count);
}

}  // namespace gaia::agents
