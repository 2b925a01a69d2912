// SPDX-License-Identifier: MIT
/// \file
/// Fixed share: weights of experts whose losses are all seen, that follow the best one where that
/// changes.
///
/// Herbster & Warmuth 1998, "Tracking the best expert", Machine Learning 32, 151.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../saved_state.h"

namespace gaia::agents {

struct FixedShareOptions {
  /// eta, above 0: how fast weights fall with losses.  For the square loss of a weighted mean 1/2
  /// where forecasts and targets are in [0, 1].
  double rate = 0.5;
  /// alpha, from 0 to 1: the share of its weight that an expert gives to the others after each
  /// loss, at best how often the best one changes per step.  0: the best one never changes (Hedge).
  double share = 0.001;
};

/// Weights w of n experts, 1/n each at the start.  Each `learn` is the loss update, then the share
/// update:
///
///     v_i = w_i exp(-eta loss_i) / sum over j of w_j exp(-eta loss_j)
///     w_i = (1 - alpha) v_i + alpha/(n - 1) * sum over j other than i of v_j
///
/// Its losses over T steps are, where exp(-eta loss) is concave in what is mixed, at most
///
///     sum of the losses of any sequence of experts with k changes
///     + (ln n + k ln((n - 1)/alpha) + (T - 1 - k) ln(1/(1 - alpha))) / eta;
///
/// where one of them is drawn by the weights, with losses in [0, 1], the expected ones are at most
/// eta T/8 above that.
class FixedShare {
 public:
  /// \throws ArgumentError for less than one expert, and options outside of their range.
  explicit FixedShare(std::int64_t experts, const FixedShareOptions& options = {});

  std::int64_t experts() const { return static_cast<std::int64_t>(log_weights_.size()); }
  /// [experts], summing to 1: how much to believe in each at the next step.
  std::vector<double> weights() const;
  /// What this step has cost each of them.
  /// \throws ArgumentError unless there is a finite loss for each.
  void learn(std::span<const double> losses);

  const FixedShareOptions& options() const { return options_; }

  /// Everything from which it goes on bit for bit, in one that was created alike.
  SavedState save() const;
  /// \throws ArgumentError for what none of as many experts has saved.
  void restore(const SavedState& saved);

 private:
  FixedShareOptions options_;
  std::vector<double> log_weights_;  // logarithms, since shares fall below the least double
};

}  // namespace gaia::agents
