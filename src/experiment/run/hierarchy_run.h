// SPDX-License-Identifier: MIT
/// \file
/// Runs a hierarchy: series -> samples -> hierarchy -> results file, block by block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../readouts/control.h"
#include "../readouts/readout.h"
#include "../results/results_file.h"
#include "run.h"

namespace gaia {

/// What a level came to.
struct LevelSummary {
  std::int64_t temporal_resolution = 1;
  std::int64_t ticks = 0;
  std::int64_t neurons = 0;
  double mean_activity = 0.0;  ///< Mean |y| over all ticks and neurons.
  double weight_norm = 0.0;    ///< Mean |w_i| at the end.
  double weight_change = 0.0;  ///< |W_end - W_start| / |W_start|.
  NeuronAnswers answers = {};  ///< Neurons that a reader should know of.
};

struct ReadoutSummary {
  ReadoutConfig config;
  std::string target;  ///< "channel 0", "channel 0 (temperature)", "latent 1", "the classes".
  ReadoutScore score;
  std::optional<ReadoutScore> validation;
  std::vector<ControlScore> controls;
  std::vector<std::string> left_out = {};  ///< Controls that it does not read: "NAME: why".
  bool in_sample = false;  ///< The run reads data that its first weights were trained on.
  std::vector<std::string> remarks = {};  ///< Remarks as remarks_about() has them.
  std::int64_t purge = 0;   ///< Steps within which ticks are left out beside what is scored.
  std::int64_t purged = 0;  ///< How many were; of folds, in the one that loses most.
  std::vector<std::string> noticed = {};  ///< What else a reader should know (readout_notices.h).
};

struct HierarchySummary final : RunSummary {
  double control_seconds = 0.0;  ///< Part of `seconds` that controls took.
  std::vector<LevelSummary> levels;
  std::vector<ReadoutSummary> readouts;
  /// Inputs that have left what they are normalised by, in sentences without their ends.
  std::vector<std::string> inputs_noticed = {};
  std::string cause = {};  ///< Why learning loses, where that is likely; else empty.

  std::string text() const override;
  Fields fields() const override;
};

/// Runs the hierarchy of an experiment, as run_experiment; `experiment.series` is read on.  With
/// more than one thread (num_threads) the file is written by a thread of its own while the next
/// block is computed.
HierarchySummary run_hierarchy(Experiment& experiment, const RunOptions& options = {});

}  // namespace gaia
