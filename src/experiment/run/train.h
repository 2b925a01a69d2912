// SPDX-License-Identifier: MIT
/// \file
/// Trains the network of an experiment: data -> batches -> network -> results file, epoch by epoch.
#pragma once

#include <cstdint>
#include <string>

#include "../results/training_file.h"
#include "../setup/task_sequence.h"
#include "run.h"

namespace gaia {

struct TrainingSummary final : RunSummary {
  std::int64_t train_samples = 0;
  std::int64_t test_samples = 0;
  bool is_classifier = false;
  bool looks_ahead = false;  ///< Whether what it reads comes from later rows (MissingPolicy).
  TestScore score;           ///< Score in the test part; of a sequence of tasks, of the last one.
  std::int64_t validation_samples = 0;  ///< 0: there is no validation part.
  TestScore validation;                 ///< Score in that part.
  bool stopped_early = false;           ///< Whether its loss no longer fell.
  std::int64_t best_epoch = -1;         ///< Epoch of its least loss; -1: nobody watched it.
  std::int64_t tasks = 0;               ///< Tasks of a sequence; 0: there is none.
  TaskScores task_scores;

  std::string text() const override;
  Fields fields() const override;

 private:
  std::string validation_text() const;
};

/// Progress within an epoch, of which the bar is: "epoch   2/5   41 %  385/938 batches  loss 0.3412
/// 12.3 k samples/s  ETA 3.1 s" (ETA: of the epoch's end); at its end: "epoch   2/5  loss 0.3412
/// ...", with what the test samples showed: `test`, or where there is no validation part what the
/// report says of validation.  The reports must outlive the text.
Progress batch_progress(std::int64_t epochs, std::int64_t epoch, const BatchReport& batch);
Progress epoch_progress(std::int64_t epochs, const EpochReport& report,
                        const Evaluation* test = nullptr);

/// What training makes small, by the weights of the classes where there are some.
Loss training_loss(const NetworkConfig& network, const TrainingData& data);

/// Trains the network of an experiment, as run_experiment.
TrainingSummary train_network(Experiment& experiment, const RunOptions& options = {});

}  // namespace gaia
