// SPDX-License-Identifier: MIT
/// \file
/// Runs an experiment: series -> samples -> hierarchy -> results file, block by block.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../data/experiment.h"
#include "../readouts/control.h"
#include "../readouts/readout.h"
#include "../results/results_file.h"
#include "resume.h"

namespace gaia {

/// How far a run is.
struct Progress {
  /// Computed, counted through all epochs as `steps` is.  Of the last blocks the file may not have
  /// the rows yet, unless there is one thread.
  std::int64_t steps_done = 0;
  std::int64_t steps = 0;
  double seconds = 0.0;  ///< Of running since the first step.
};

struct RunOptions {
  bool overwrite = false;
  std::string command_line = {};
  std::optional<double> max_seconds = {};  ///< Of wall time; the run is interrupted after it.
  /// Set by a signal handler: the run finishes its block, stores its state and returns.
  const std::atomic<bool>* stop = nullptr;
  /// Set by a signal handler: the run stores its state after its block, and goes on.
  std::atomic<bool>* checkpoint = nullptr;
  /// A run that was cut and goes on from its checkpoint, with its experiment; `overwrite` and
  /// `command_line` are then of no meaning.
  CutRun* cut = nullptr;
  /// Called after every block, on the thread that runs the experiment.  It must not use HDF5, also
  /// by functions of gaia, unless there is one thread: another is writing.
  std::function<void(const Progress&)> on_progress = {};
};

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

struct RunSummary {
  RunStatus status = RunStatus::complete;
  std::string file;  ///< The result, or NAME.h5.partial.
  std::int64_t steps_done = 0;
  std::int64_t steps = 0;
  double seconds = 0.0;          ///< From the first step to the last.
  double control_seconds = 0.0;  ///< Of these, what the controls have taken.
  std::vector<LevelSummary> levels;
  std::vector<ReadoutSummary> readouts;
  std::string one_seed = {};  ///< Sentence that all of it is of one seed, and how others are asked.
  std::string cause = {};  ///< Why learning loses, where that is likely; else empty.
};

/// Runs the experiment on its device; `experiment.series` is read on.  With more than one thread
/// (num_threads) the file is written by a thread of its own while the next block is computed.  A
/// run that was cut and goes on leaves, but for /metrics/steps_per_second, the same datasets bit
/// for bit as one that was not. \throws LockedError, OutputError, DeviceError, DataError,
/// DivergedError; the results file is then left as NAME.h5.partial, marked failed, with everything
/// that was committed.
RunSummary run_experiment(Experiment& experiment, const RunOptions& options = {});

}  // namespace gaia
