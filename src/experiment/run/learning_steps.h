// SPDX-License-Identifier: MIT
/// \file
/// At which steps of a run its hierarchy learns.
#pragma once

#include <cstdint>

#include "../data/experiment.h"
#include "../setup/training_part.h"

namespace gaia {

/// Steps are counted through all epochs.  Nothing learns where the hierarchy does not (learn,
/// freeze_after, the end of a schedule).  In the epochs before the last, what learns does so in the
/// training part alone, so that in the last one nothing that is scored has been learnt from; there
/// it goes on through all rows, each before it is learnt from.  Where the training part has gaps,
/// since groups come back, nothing learns in these in the last epoch either: what is trained on
/// comes behind them.
class LearningSteps {
 public:
  explicit LearningSteps(const Experiment& experiment);

  bool learns(std::int64_t step) const;
  /// Step at which a block that begins at `step`, and ends at `end` at most, within its epoch, is
  /// cut for the learning: where that begins or ends, or the rate changes.
  std::int64_t cut(std::int64_t step, std::int64_t end) const;
  /// How many of all there are at which it learns.
  std::int64_t count() const;

  /// Whether both learn at the same steps.
  bool operator==(const LearningSteps& other) const;

 private:
  /// Whether the part that a step is in is one to learn from.
  bool may_learn(std::int64_t step) const;
  std::int64_t end() const;

  HierarchyConfig hierarchy_;
  std::int64_t steps_;  // steps of an epoch
  TrainingPart part_;
};

}  // namespace gaia
