// SPDX-License-Identifier: MIT
/// \file
/// What of a run may be learnt from before anything is scored: what moments, controls and rates are
/// measured by, and what layers learn in all epochs but the last.
#pragma once

#include <cstdint>

#include "../data/stretches.h"
#include "../data/trials.h"

namespace gaia {

struct Experiment;

class TrainingPart {
 public:
  using Stretch = gaia::Stretch;

  /// All of them.
  static TrainingPart whole(const Trials& trials, std::int64_t window);
  /// These steps of them.
  static TrainingPart of(const Trials& trials, std::int64_t window, Stretches steps);

  /// Whether nothing is left out: no readout is trained, or all that are are cross-validated.
  bool is_whole() const { return is_whole_; }
  /// Stretches of steps (of one epoch), in order, in which the training ticks of every readout that
  /// is trained lie.  They begin with the first step, also where a readout skips some, and do not
  /// end before a trial does that is trained on as a whole.
  const Stretches& steps() const { return steps_; }
  /// Rows of the series that the samples of these steps read, in order.
  const Stretches& rows() const { return rows_; }
  /// The step from which on nothing belongs to it (of one epoch); the number of steps where it is
  /// whole.
  std::int64_t end_step() const { return steps_.empty() ? 0 : steps_.back().end; }
  bool has_step(std::int64_t step) const { return contains(steps_, step); }

  bool operator==(const TrainingPart&) const = default;

 private:
  TrainingPart(bool is_whole, const Trials& trials, std::int64_t window, Stretches steps);

  bool is_whole_;
  Stretches steps_;
  Stretches rows_;
};

/// Training part of an experiment whose trials are known and whose keys have been checked, as its
/// kind has it.
TrainingPart training_part(const Experiment& experiment);

/// Training part of the readouts: the steps that every one that is trained on a part of the ticks
/// has in that part. One that learns online has what it skips and what its split keeps from being
/// scored; one with folds, and one that does not learn, restrict nothing.
TrainingPart readout_training_part(const Experiment& experiment);

/// Training part of a network on a series: the steps of the samples that it is trained on.
TrainingPart network_training_part(const Experiment& experiment);

}  // namespace gaia
