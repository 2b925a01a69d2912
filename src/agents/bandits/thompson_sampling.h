// SPDX-License-Identifier: MIT
/// \file
/// Thompson sampling: an arm is played as often as it is believed to be the best.
///
/// Thompson 1933, Biometrika 25, 285; for rewards in [0, 1] Agrawal & Goyal 2012, "Analysis of
/// Thompson sampling for the multi-armed bandit problem", COLT, Algorithm 2.
#pragma once

#include <cstdint>
#include <vector>

#include "../../core/random.h"
#include "bandit.h"

namespace gaia::agents {

struct ThompsonOptions {
  /// Wins and losses of each arm that are believed in before anything is seen, above 0; 1 and 1:
  /// all probabilities of a win are equally likely.
  double prior_wins = 1.0, prior_losses = 1.0;
  RandomStream random = next_stream();
};

/// Draws a probability of a win for each arm from Beta(prior_wins + wins_i, prior_losses +
/// losses_i) and plays the arm whose is highest.  A reward in [0, 1] is a win with that
/// probability, else a loss.
class ThompsonSampling final : public Bandit {
 public:
  /// \throws ArgumentError for less than one arm, and priors that are not above 0 and finite.
  explicit ThompsonSampling(std::int64_t arms, const ThompsonOptions& options = {});

  std::int64_t arms() const override { return static_cast<std::int64_t>(wins_.size()); }
  std::int64_t choose() override;
  void learn(std::int64_t arm, double reward) override;

  const std::vector<double>& wins() const { return wins_; }      ///< Seen, of each arm.
  const std::vector<double>& losses() const { return losses_; }  ///< The same.
  const ThompsonOptions& options() const { return options_; }

  SavedState save() const override;
  void restore(const SavedState& saved) override;

 private:
  double gamma(double shape);

  ThompsonOptions options_;
  std::vector<double> wins_, losses_;
  std::uint64_t draws_ = 0;  // draws of gamma variates, those that were refused too
  std::uint64_t coins_ = 0;
};

}  // namespace gaia::agents
