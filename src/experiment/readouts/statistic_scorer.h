// SPDX-License-Identifier: MIT
/// \file
/// What the numbers that a statistic is told come to.
#pragma once

#include "readout_score.h"

namespace gaia {

/// Numbers of neurons at ticks, or of weights as they are in the end.  With y the answers of one of
/// them to n ticks:
///
/// - kurtosis: mean (y - m)^4 / (mean (y - m)^2)^2 - 3, m the mean of y;
/// - sparseness: (1 - (mean |y|)^2 / mean y^2) / (1 - 1/n) (Vinje & Gallant, 2000, Science 287,
///   1273-1276, after Rolls & Tovee, 1995, J. Neurophysiol. 73, 713-726);
/// - selectivity: 1 - mean r / max r over classes, r the mean of y over the ticks of a class, or 0
///   where that is below 0 (Bienenstock, Cooper & Munro, 1982, J. Neurosci. 2, 32-48);
/// - all others: what they are told, of ticks their mean.
///
/// A neuron that never changes has a kurtosis of 0, one that is silent a sparseness and selectivity
/// of 0.  The score is the mean over neurons.
class StatisticScorer final : public Scorer {
 public:
  StatisticScorer(const StatisticOptions& options, const ChanceBlocks& blocks);

  /// The prediction of a row is what is told, in place of all that was where it is of weights; of a
  /// selectivity the target is a class, of all others nothing.
  void add(const Row& row) override;
  ReadoutScore score() const override;
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  /// Sums over ticks, of each class where there are classes.
  struct Sums {
    std::vector<double> counts;   // [classes]
    std::vector<double> numbers;  // [classes, moments, neurons]
  };
  std::size_t moments() const;
  /// Makes room for `classes`.
  void widen(Sums& sums, std::size_t classes) const;
  /// Statistic of all blocks but one, or of all.
  Sums sum_without(std::size_t block) const;
  std::vector<double> of_each(const Sums& sums) const;
  double of_one(const Sums& sums, std::size_t neuron) const;

  StatisticOptions options_;
  ChanceBlocks places_;
  std::int64_t count_ = 0;
  std::vector<double> first_;  // numbers of the first row
  std::vector<double> told_;   // statistics of weights
  std::vector<Sums> blocks_;
};

}  // namespace gaia
