// SPDX-License-Identifier: MIT
/// \file
/// How well numbers that are read agree with targets, one to one.
#pragma once

#include "readout_score.h"

namespace gaia {

/// Correlates all numbers that are read with all targets, over the ticks whose targets are known,
/// and matches each target with a number of its own so that the sum of |r| is the largest.  A
/// target that is left over counts as 0, and so does the r of a number that does not vary.
class MatchingScorer final : public Scorer {
 public:
  MatchingScorer(std::int64_t features, std::int64_t targets, const ChanceBlocks& blocks);

  /// The prediction of a row is what is read.
  void add(const Row& row) override;
  ReadoutScore score() const override;
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  /// Sums over rows, counted from the first of all.
  struct Sums {
    double count = 0.0;
    std::vector<double> numbers;  // sums of features, targets, their squares and products
  };
  std::size_t width() const { return 2 * (features_ + targets_) + features_ * targets_; }
  Sums all() const;
  /// r of each target with each feature, [targets, features].
  std::vector<double> correlations(const Sums& sums) const;
  double varies(const Sums& sums, std::size_t target) const;
  std::vector<double> without_blocks(const Sums& sums) const;

  std::size_t features_;
  std::size_t targets_;
  ChanceBlocks places_;
  std::int64_t count_ = 0;
  std::vector<double> first_;  // features and targets of the first row
  std::vector<Sums> blocks_;
};

}  // namespace gaia
