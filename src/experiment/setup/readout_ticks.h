// SPDX-License-Identifier: MIT
/// \file
/// Which ticks of a series a readout reads, and which of them are for training, validation, test.
#pragma once

#include <cstdint>
#include <vector>

#include "../config/config.h"
#include "stretches.h"
#include "trials.h"

namespace gaia {

/// The ticks that a readout reads, one every `spacing` steps of each trial, as far as their targets
/// are known, are numbered from 0 through all trials: [0, first) is for nothing, [first, trained)
/// for training, [trained, validated) for validation, [validated, tested) for the test, the rest
/// for nothing.  Of several trials these borders lie between trials.
struct ReadoutTicks {
  std::int64_t spacing = 1;
  std::int64_t first = 0;
  std::int64_t trained = 0;
  std::int64_t validated = 0;
  std::int64_t tested = 0;
  std::vector<std::int64_t> begins = {};  ///< Number of the first tick of each trial, and of all.

  std::int64_t all() const { return begins.back(); }
  std::int64_t of_training() const { return trained - first; }
  std::int64_t of_validation() const { return validated - trained; }
  std::int64_t of_test() const { return tested - validated; }
  /// Where fold k of a cross-validation over [first, all()) begins; that of K ends them.
  std::int64_t fold_begin(std::int64_t k, std::int64_t folds) const;
};

ReadoutTicks readout_ticks(const ReadoutConfig& config, const Trials& trials, std::int64_t spacing);

/// The steps of the series, from its first, up to the last tick for training; of several trials
/// those of the trials that are for it.  None where nothing is.
Stretches training_steps(const ReadoutTicks& ticks, const Trials& trials);

/// Steps from one tick that a readout reads to the next: those of the fastest of its levels that
/// are recorded.
std::int64_t readout_spacing(const ReadoutConfig& config, const std::vector<LevelConfig>& levels,
                             const Recording& recording);

}  // namespace gaia
