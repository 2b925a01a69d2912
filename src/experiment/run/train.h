// SPDX-License-Identifier: MIT
/// \file
/// Trains the network of an experiment: data -> batches -> network -> results file, epoch by epoch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "../../training/communicator.h"
#include "../results/training_file.h"
#include "run.h"

namespace gaia {

/// How far a training is: within an epoch, or at its end.
struct TrainingProgress {
  std::int64_t epochs = 0;              ///< All of them.
  std::int64_t epoch = 0;               ///< From 0.
  const BatchReport* batch = nullptr;   ///< Within an epoch; else null.
  const EpochReport* report = nullptr;  ///< Of an epoch that has ended; else null.
};

struct TrainingOptions {
  bool overwrite = false;
  std::string command_line = {};
  std::optional<double> max_seconds = {};  ///< Of wall time, acting after a batch.
  const std::atomic<bool>* stop = nullptr;
  std::atomic<bool>* checkpoint = nullptr;  ///< As RunOptions has it, as are these three others.
  CutRun* cut = nullptr;
  /// The processes that train together; null: this one alone.  That of rank 0 writes the results.
  Communicator* communicator = nullptr;
  std::function<void(const TrainingProgress&)> on_progress = {};
};

struct TrainingSummary {
  RunStatus status = RunStatus::complete;
  std::string file;
  std::int64_t epochs_done = 0;
  std::int64_t epochs = 0;
  double seconds = 0.0;
  std::int64_t train_samples = 0;
  std::int64_t test_samples = 0;
  bool is_classifier = false;
  bool looks_ahead = false;  ///< What it reads was made of later rows (MissingPolicy).
  TestScore score;
  std::string one_seed = {};  ///< Sentence on the one seed, as RunSummary has it.
};

/// Trains the network on the experiment's device.  Same seed, same numbers, with any number of
/// threads and, for the same `network.members`, of processes.  \throws as run_experiment; where one
/// of several processes throws, the others wait, until it calls Communicator::abort.
TrainingSummary train_experiment(Experiment& experiment, const TrainingOptions& options = {});

}  // namespace gaia
