// SPDX-License-Identifier: MIT
/// \file
/// Which ticks of a series a readout reads, and which of them are for training, validation, test.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../config/config.h"
#include "../data/stretches.h"
#include "../data/trials.h"

namespace gaia {

/// What decides on the ticks of a readout beside its own keys.
struct TickOptions {
  std::int64_t spacing = 1;  ///< Steps from one tick to the next.
  std::int64_t purge = 0;    ///< Steps within which a tick is left out beside another part.
  std::int64_t phase = 0;    ///< Step of a trial's first tick, below spacing.
};

/// spacing and phase: of the fastest of its levels that are recorded; purge: as purge_of() has it.
TickOptions tick_options(const ReadoutConfig& readout, const ExperimentConfig& config);

/// Spacing and phase of the steps at which all of these tick; none where they never do together.
std::optional<TickOptions> common_tick_options(const std::vector<TickOptions>& all);

/// Within how many steps of a part that is scored a tick is left out of what is trained on: what
/// the readout reads or predicts there may lie in rows that one of the other part reads too.
///
///     max(window + sum of r_n, past, mean_over - horizon) + horizon + embargo
///
/// r_n: resolutions of all levels up to the highest that it reads, since those feed it; past: rows
/// that its samples reach back at most, where slow levels are read between their ticks or pool what
/// a slower one has held.  0 where samples are pictures, each for itself, and of what learns
/// online, which learns from no target before it is there.
std::int64_t purge_of(const ReadoutConfig& readout, const ExperimentConfig& config);

/// The ticks that a readout reads, one every `spacing` steps of each trial, as far as their targets
/// are known, numbered from 0 through all trials, and what they are for.  They are dealt out as
/// units: by groups (data.groups) in order of first appearance, else of several trials by trials,
/// else one by one.
class ReadoutTicks {
 public:
  ReadoutTicks(const ReadoutConfig& config, const Trials& trials, const TickOptions& options);

  /// Those of a consensus: steps at which all that it fuses tick, and which are for the same in
  /// all. Its S is measured on the validation part, else on the training part, which is its
  /// training(); on none where S is given.  \throws ArgumentError if they never tick together.
  static ReadoutTicks common(const ReadoutConfig& config, const Trials& trials,
                             const std::vector<const ReadoutTicks*>& fused);

  std::int64_t spacing() const { return spacing_; }
  std::int64_t phase() const { return phase_; }
  std::int64_t all() const { return begins_.back(); }
  /// Number of the first tick of each trial, and of all.
  const std::vector<std::int64_t>& begins() const { return begins_; }

  /// The step of the series at which a tick of such a target is; where there is one prediction a
  /// trial, the last that it is computed from.
  std::int64_t step_of(std::int64_t tick, const Trials& trials, const ReadoutTarget& target) const;

  // Parts of a split.  Ticks of the first two that are close to a later part are purged.
  const Stretches& training() const { return training_; }
  const Stretches& validation() const { return validation_; }
  /// Also what a readout that does not learn predicts.
  const Stretches& test() const { return test_; }
  /// Behind the last tick for training.
  std::int64_t training_end() const { return training_.empty() ? 0 : training_.back().end; }
  /// How many ticks are purged; of folds, in the one that loses most.
  std::int64_t purged() const { return purged_; }
  /// The first tick that is scored; all() where none is.
  std::int64_t first_scored() const;
  /// Whether a tick that is scored comes before one that is trained on, as where groups come back.
  bool is_mixed() const { return first_scored() < training_end(); }

  /// The steps of the series up to the last tick for training, from the first on: of several trials
  /// those of whole trials, of groups theirs.  None where nothing is for training.
  const Stretches& training_steps() const { return training_steps_; }

  struct Fold {
    Stretches training;
    Stretches test;
  };
  /// Fold k of the cross-validation over what is not skipped.
  Fold fold(std::int64_t k) const;
  /// All that is not skipped.
  const Stretches& of_folds() const { return of_folds_; }

  /// Borders of the parts, in units: [0, skipped) is for nothing, [skipped, trained) for training,
  /// [trained, validated) for validation, [validated, tested) for the test, the rest for nothing.
  struct Units {
    std::int64_t all = 0;
    std::int64_t skipped = 0;
    std::int64_t trained = 0;
    std::int64_t validated = 0;
    std::int64_t tested = 0;
  };
  const Units& units() const { return units_; }

 private:
  enum class By { ticks, trials, groups };
  struct Run {
    Stretch ticks;
    std::int64_t group;
  };

  void find_group_runs(const Trials& trials);
  Stretches ticks_of(std::int64_t begin_unit, std::int64_t end_unit) const;
  /// Ticks among `ticks` that are close to none of `others`.
  Stretches purged(const Stretches& ticks, const Stretches& others) const;
  Stretches steps_of(const Stretches& ticks, const Trials& trials, bool per_trial) const;
  /// Ticks among `theirs` of `other` that are its own too, by its own numbers.
  Stretches own_of(const ReadoutTicks& other, const Stretches& theirs) const;

  std::int64_t spacing_;
  std::int64_t phase_;
  std::int64_t reach_;  // ticks within which others are purged
  std::int64_t folds_;
  By by_;
  std::vector<std::int64_t> begins_;
  std::vector<Run> runs_;  // runs of ticks of one group, where there are groups
  Units units_;
  Stretches training_;
  Stretches validation_;
  Stretches test_;
  Stretches of_folds_;
  Stretches training_steps_;
  std::int64_t purged_ = 0;
};

/// The ticks of a readout of an experiment, of whatever type, once data are open.
ReadoutTicks readout_ticks(const ReadoutConfig& readout, const ExperimentConfig& config,
                           const Trials& trials);

}  // namespace gaia
