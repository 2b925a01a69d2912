// SPDX-License-Identifier: MIT
/// \file
/// Runs an experiment, of whatever kind it is.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "../../array/runtime_config.h"
#include "../../core/fields.h"
#include "../../training/communicator.h"
#include "../data/experiment.h"
#include "resume.h"

namespace gaia {

/// How far a run is.
struct Progress {
  /// What a bar shows: computed, counted through all epochs as `steps` is.  Of the last blocks the
  /// file may not have the rows yet, unless there is one thread.  Of a network that is trained they
  /// are batches of an epoch.
  std::int64_t steps_done = 0;
  std::int64_t steps = 0;
  double share = 0.0;  ///< Share of the whole run that is done.
  /// Whether the run is reported in parts, each with a bar of its own, and whether one has ended,
  /// of which the text tells.
  bool has_parts = false;
  bool ends_part = false;
  /// For a person, in a line.  Only while this is shown; it may have to wait for the device.
  std::function<std::string()> text = {};
};

struct RunOptions {
  bool overwrite = false;
  std::string command_line = {};
  std::optional<double> max_seconds = {};  ///< Wall time after which the run is interrupted.
  /// Set by a signal handler: the run ends its block, batch or step, stores its state and returns.
  const std::atomic<bool>* stop = nullptr;
  /// Set by a signal handler: the run stores its state after that, and goes on.
  std::atomic<bool>* checkpoint = nullptr;
  /// A run that was cut and goes on from its checkpoint, with its experiment; `overwrite` and
  /// `command_line` are then of no meaning.
  CutRun* cut = nullptr;
  /// The processes that train a network together; null: this one alone.  That of rank 0 writes the
  /// results.
  Communicator* communicator = nullptr;
  /// Settings that go before those of the experiment's `runtime`, but for the device.
  RuntimeConfig runtime = {};
  /// Called after every block, batch or step, on the thread that runs the experiment.  It must not
  /// use HDF5, also by functions of gaia, unless there is one thread: another is writing.
  std::function<void(const Progress&)> on_progress = {};

  /// Whether it is to stop after so many seconds.
  bool must_stop(double seconds) const {
    return (stop != nullptr && stop->load()) || (max_seconds && seconds >= *max_seconds);
  }
};

/// What a run came to; each kind of experiment adds to it.
struct RunSummary {
  RunStatus status = RunStatus::complete;
  std::string file;             ///< The result, or NAME.h5.partial.
  std::int64_t steps_done = 0;  ///< Steps; epochs of a network, as in its results.
  std::int64_t steps = 0;
  double seconds = 0.0;  ///< From the first step to the last.
  std::string one_seed;  ///< Sentence that all of it is of one seed, and how others are asked.

  virtual ~RunSummary() = default;
  /// The last words for a person: scores, time, file, and what to type next.
  virtual std::string text() const = 0;
  /// What the kind adds, for other programs.
  virtual Fields fields() const { return {}; }
};

/// Runs the experiment on its device.  Same seed, same numbers, with any number of threads and, for
/// the same `network.members`, of processes.  A run that was cut and goes on leaves, but for
/// speeds, the same datasets bit for bit as one that was not.  \throws LockedError, OutputError,
/// DeviceError, DataError, DivergedError; the results file is then left as NAME.h5.partial, marked
/// failed, with everything that was committed.  Where one of several processes throws, the others
/// wait, until it calls Communicator::abort.
std::unique_ptr<RunSummary> run_experiment(Experiment& experiment, const RunOptions& options = {});

}  // namespace gaia
