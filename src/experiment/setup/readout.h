// SPDX-License-Identifier: MIT
/// \file
/// Readouts of representations, trained while the run goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../array/array_map.h"
#include "../../hierarchy/manager.h"
#include "../../learning/readout_kind.h"
#include "../config/config.h"
#include "learnt.h"
#include "sample_reader.h"
#include "verdict.h"

namespace gaia {

struct ReadoutScore {
  double nrmse = 0.0;           ///< Root mean square error over the targets' standard deviation.
  double r2 = 0.0;              ///< 1 - nrmse^2.
  double baseline_nrmse = 0.0;  ///< Of the baseline, on the same targets.
  double baseline_r2 = 0.0;
  std::string
      baseline;  ///< "persistence" (the target `horizon` steps ago), or "mean" at horizon 0.
  double mean_nrmse = 0.0;  ///< Of the mean of the targets that were trained on.
  double mean_r2 = 0.0;
  std::string undefined = {};  ///< Why all of these are NaN; empty where they are not.

  RegressionScore own() const { return {"", nrmse, r2}; }
  /// The baseline, and the mean where that is another.
  std::vector<RegressionScore> baselines() const;
};

/// Which of a readout's ticks are for what: [0, first) nothing, [first, end) training, [end, all)
/// prediction.
struct ReadoutTicks {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t all = 0;

  std::int64_t trained() const { return end - first; }
  std::int64_t predicted() const { return all - end; }
};

/// For a readout that reads every `spacing` steps of a series.
ReadoutTicks readout_ticks(const ReadoutConfig& config, std::int64_t steps, std::int64_t spacing);

/// One readout of a run.  It reads, at every tick t of the fastest of its levels, what these levels
/// show, and predicts the target: the mean of a channel or latent over the steps
/// (t + horizon - mean_over, t + horizon], or as many of them as there are.  Of these ticks the
/// shares from `skip` to `split` are trained on; as soon as they are over the training ends,
/// and the others are predicted.  One that does not learn has the weights of another and predicts
/// at all ticks, also where the series ends before the target: that is NaN then, and no error.
class Readout {
 public:
  /// `stored` is that of a readout that does not learn.
  Readout(const ReadoutConfig& config, const HierarchyManager& hierarchy, std::int64_t steps,
          const Recording& recording, const ReadoutSolution& stored = {});

  const ReadoutConfig& config() const { return config_; }

  const ReadoutTicks& ticks() const { return ticks_; }

  /// What a block adds.
  struct Added {
    std::vector<std::int64_t> steps;
    std::vector<double> predictions;
    std::vector<double> targets;
  };
  Added process(const HierarchyBlock& block, const SampleReader& samples);

  /// Over all predictions so far.
  ReadoutScore score() const;

  /// Neurons of all levels that it reads.
  std::int64_t features() const { return features_; }
  /// What it has found; nothing as long as it has not been trained.
  std::optional<ReadoutSolution> solution() const;

  /// How many ticks it has predicted.
  std::int64_t predicted() const { return predicted_; }

  /// Adds everything from which it goes on bit for bit, under names that begin with
  /// "readouts/NAME/".
  void add_state(ArrayMap& arrays) const;
  /// Takes over what add_state has added.  \throws ArgumentError or ShapeError unless it was that
  /// of such a readout.
  void set_state(const ArrayMap& arrays);

 private:
  /// What the levels show at `ticks` steps from first_tick on, [ticks, features].
  std::vector<double> gather(const HierarchyBlock& block, std::int64_t first_tick,
                             std::int64_t ticks);
  /// The target as it is `horizon` steps after each of these ticks.
  std::vector<double> targets(const SampleReader& samples, std::int64_t first_tick,
                              std::int64_t ticks, std::int64_t horizon) const;

  ReadoutConfig config_;
  std::int64_t steps_;
  std::int64_t spacing_ = 1;  // steps from one tick that is read to the next
  ReadoutTicks ticks_;
  std::int64_t done_ = 0;
  std::int64_t features_ = 0;
  std::vector<std::vector<double>> held_;  // what each level showed when the last block ended
  std::unique_ptr<ReadoutModel> model_;
  // Sums over predictions; targets are counted from the first, so that those of a constant are 0.
  double squared_error_ = 0.0;
  double baseline_squared_error_ = 0.0;
  double mean_squared_error_ = 0.0;
  double first_target_ = 0.0;
  double target_sum_ = 0.0;
  double target_square_sum_ = 0.0;
  std::int64_t predicted_ = 0;
  std::int64_t scored_ = 0;  // of these, those whose targets are known
};

}  // namespace gaia
