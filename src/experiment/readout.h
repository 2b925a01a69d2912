// SPDX-License-Identifier: MIT
/// \file
/// Linear readouts of representations, trained by ridge regression while the run goes on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../hierarchy/manager.h"
#include "../learning/ridge.h"
#include "config.h"
#include "sample_reader.h"

namespace gaia {

struct ReadoutScore {
  double nrmse = 0.0;           ///< Root mean square error over the targets' standard deviation.
  double r2 = 0.0;              ///< 1 - nrmse^2.
  double baseline_nrmse = 0.0;  ///< Of the baseline, on the same targets.
  double baseline_r2 = 0.0;
  std::string baseline;  ///< "persistence" (the target `horizon` steps ago), or "mean" at horizon 0.
};

/// One readout of a run.  It reads, at every tick of the fastest of its levels, what these levels
/// show, and predicts the target `horizon` steps later.  The first `split` of these ticks are trained
/// on; as soon as they are over the regression is solved, and the others are predicted.
class Readout {
 public:
  Readout(const ReadoutConfig& config, const HierarchyManager& hierarchy, std::int64_t steps,
          const Recording& recording);

  const ReadoutConfig& config() const { return config_; }

  /// Predictions that the whole series gives.
  std::int64_t predictions() const { return ticks_ - training_ticks_; }
  std::int64_t training_ticks() const { return training_ticks_; }

  /// What a block adds.
  struct Added {
    std::vector<std::int64_t> steps;
    std::vector<double> predictions;
    std::vector<double> targets;
  };
  Added process(const HierarchyBlock& block, const SampleReader& samples);

  /// Over all predictions so far.
  ReadoutScore score() const;

 private:
  /// What the levels show at `ticks` steps from first_tick on, [ticks, features].
  std::vector<double> gather(const HierarchyBlock& block, std::int64_t first_tick,
                             std::int64_t ticks);

  ReadoutConfig config_;
  std::int64_t spacing_ = 1;  // steps from one tick that is read to the next
  std::int64_t ticks_ = 0;
  std::int64_t training_ticks_ = 0;
  std::int64_t done_ = 0;
  std::int64_t features_ = 0;
  std::vector<std::vector<double>> held_;  // what each level showed when the last block ended
  RidgeRegression regression_;
  // Sums over predictions; targets are counted from the training mean.
  double squared_error_ = 0.0;
  double baseline_squared_error_ = 0.0;
  double target_sum_ = 0.0;
  double target_square_sum_ = 0.0;
  std::int64_t predicted_ = 0;
};

}  // namespace gaia
