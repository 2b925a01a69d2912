// SPDX-License-Identifier: MIT
/// \file
/// Arms that pay 1 or 0, and how much less a bandit got of them than the best arm pays.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "../../../src/agents/bandits/bandit.h"

namespace gaia::test {

using Arms = std::vector<double>;  // probabilities of a win

/// Expected regret of what was played, after `plays`.
inline double regret_of(agents::Bandit& bandit, const Arms& arms, int plays, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  const double best = *std::max_element(arms.begin(), arms.end());
  double regret = 0.0;
  for (int t = 0; t < plays; ++t) {
    const std::int64_t arm = bandit.choose();
    const double p = arms[static_cast<std::size_t>(arm)];
    bandit.learn(arm, uniform(random) < p ? 1.0 : 0.0);
    regret += best - p;
  }
  return regret;
}

/// Theorem 1 of Auer, Cesa-Bianchi & Fischer 2002.
inline double ucb1_bound(const Arms& arms, int plays) {
  const double best = *std::max_element(arms.begin(), arms.end());
  double bound = 0.0;
  for (const double p : arms) {
    if (p == best) continue;
    bound += 8 * std::log(plays) / (best - p) +
             (1 + std::numbers::pi * std::numbers::pi / 3) * (best - p);
  }
  return bound;
}

/// What the regret of a good bandit grows like: Lai & Robbins 1985, Advances in Applied Mathematics
/// 6, 4, sum of gap / KL(p from best) times ln plays.
inline double lai_robbins(const Arms& arms, int plays) {
  const double best = *std::max_element(arms.begin(), arms.end());
  double sum = 0.0;
  for (const double p : arms) {
    if (p == best) continue;
    sum += (best - p) / (p * std::log(p / best) + (1 - p) * std::log((1 - p) / (1 - best)));
  }
  return sum * std::log(plays);
}

}  // namespace gaia::test
