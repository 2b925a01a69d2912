// SPDX-License-Identifier: MIT
/// \file
/// UCB1: the arm whose mean reward could be highest, as far as can be told.
///
/// Auer, Cesa-Bianchi & Fischer 2002, "Finite-time analysis of the multiarmed bandit problem",
/// Machine Learning 47, 235.
#pragma once

#include <cstdint>
#include <vector>

#include "bandit.h"

namespace gaia::agents {

/// Plays every arm once, in their order, then the one where
///
///     mean_i + sqrt(2 ln n / n_i)
///
/// is highest: n_i plays of arm i so far, n of all.  Of equal ones it plays the first.  After n
/// plays its expected regret is at most sum over arms with gap_i > 0 of
/// 8 ln n / gap_i + (1 + pi^2/3) gap_i, where gap_i is how much less arm i pays on average than the
/// best (Theorem 1).
class UCB1 final : public Bandit {
 public:
  /// \throws ArgumentError for less than one arm.
  explicit UCB1(std::int64_t arms);

  std::int64_t arms() const override { return static_cast<std::int64_t>(plays_.size()); }
  std::int64_t choose() override;
  void learn(std::int64_t arm, double reward) override;

  const std::vector<double>& plays() const { return plays_; }      ///< Plays of each arm.
  const std::vector<double>& rewards() const { return rewards_; }  ///< Their sums, of each arm.

  SavedState save() const override;
  void restore(const SavedState& saved) override;

 private:
  std::vector<double> plays_, rewards_;
};

}  // namespace gaia::agents
