// SPDX-License-Identifier: MIT
#include "ucb1.h"

#include <cmath>

#include "bandit_checks.h"

namespace gaia::agents {

UCB1::UCB1(std::int64_t arms) {
  require(arms >= 1, "[UCB1] arms: expected at least 1, got {}", arms);
  plays_.assign(static_cast<std::size_t>(arms), 0.0);
  rewards_ = plays_;
}

std::int64_t UCB1::choose() {
  double all = 0.0;
  for (std::size_t i = 0; i < plays_.size(); ++i) {
    if (!(plays_[i] > 0)) return static_cast<std::int64_t>(i);
    all += plays_[i];
  }
  std::size_t best = 0;
  double highest = 0.0;
  for (std::size_t i = 0; i < plays_.size(); ++i) {
    const double bound = rewards_[i] / plays_[i] + std::sqrt(2.0 * std::log(all) / plays_[i]);
    if (i > 0 && !(bound > highest)) continue;
    best = i;
    highest = bound;
  }
  return static_cast<std::int64_t>(best);
}

void UCB1::learn(std::int64_t arm, double reward) {
  check_play("UCB1", arm, arms(), reward);
  plays_[static_cast<std::size_t>(arm)] += 1.0;
  rewards_[static_cast<std::size_t>(arm)] += reward;
}

SavedState UCB1::save() const { return {{"plays", plays_}, {"rewards", rewards_}}; }

void UCB1::restore(const SavedState& saved) {
  std::vector<double> plays = saved_numbers(saved, "plays", plays_.size());
  std::vector<double> rewards = saved_numbers(saved, "rewards", plays_.size());
  for (std::size_t i = 0; i < plays.size(); ++i) {
    check_count("UCB1", "plays", plays[i]);
    require(rewards[i] >= 0 && rewards[i] <= plays[i],
            "[UCB1] restore: rewards: expected a sum from 0 to the {} plays of arm {}, got {}",
            plays[i], i, rewards[i]);
  }
  plays_ = std::move(plays);
  rewards_ = std::move(rewards);
}

}  // namespace gaia::agents
