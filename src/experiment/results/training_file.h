// SPDX-License-Identifier: MIT
/// \file
/// Writes the results of training a network: docs/results.md describes every dataset and attribute.
/// As in a hierarchy's file, everything is laid out first and /status/committed_steps, here of
/// epochs, is written last.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../../training/consolidation.h"
#include "../../training/fit.h"
#include "../readouts/test_score.h"
#include "../setup/build_network.h"
#include "../setup/task_sequence.h"
#include "../setup/training_data.h"
#include "network_diagnostics.h"
#include "results_parts.h"
#include "results_rows.h"

namespace gaia {

/// What became of a training with a validation part.
struct Validated {
  TestScore score;
  std::int64_t best_epoch = -1;  ///< Epoch of the least validation loss; -1: nobody watched it.
  bool stopped_early = false;
};

class TrainingFile {
 public:
  /// Creates and lays out NAME.h5.partial; with `recorded` as ResultsFile does.
  /// \throws OutputError, DataError.
  TrainingFile(const Experiment& experiment, const RunFacts& run, const BuiltNetwork& network,
               const TrainingData& data, const Recorded& recorded = {},
               const TaskSequence* tasks = nullptr);

  /// Appends an epoch with what the test samples showed after it, the weights it led to and the
  /// diagnostics of its last batch, and makes all of it safe.
  void append(const EpochReport& report, const Evaluation& test,
              const std::vector<LayerDiagnostics>& diagnostics = {});

  /// Writes what a task that has ended left: the accuracies [trained, tested] so far and, where
  /// weights are held, the weights with which it ended and their importance.
  void write_task(std::int64_t task, const std::vector<double>& accuracies,
                  const Consolidation* consolidation);

  /// Brings what was committed to the disk.
  void sync();

  /// Stores what the network predicts for the test samples: classes [n], or numbers [n]; and, where
  /// TrainingData asks for them, the probabilities of all classes [n, classes].
  void write_test(const Array& answers, const Array& probabilities = {});

  /// Stores what the network predicts for the validation samples: classes [n], or numbers [n].
  void write_validation(const Array& answers);

  /// Ends the file; returns its path.
  std::string finish(RunStatus status, std::int64_t epochs_done, double wall_seconds,
                     const TestScore& score, const Validated& validated = {});

  /// After a write that failed: leaves the file as a killed program would.
  void abandon();

  bool is_open() const { return is_open_; }

 private:
  void lay_out_data(const Experiment& experiment, const RunFacts& run, const TrainingData& data);
  void lay_out_network(const Experiment& experiment);
  void lay_out_history(std::int64_t epochs);
  void lay_out_diagnostics(const hdf5::Dataset& epoch, std::int64_t chunk);
  void lay_out_tasks(const Experiment& experiment, const TaskSequence& tasks);
  void lay_out_test(const TrainingData& data);
  void lay_out_validation(const ValidationData& data);
  /// The group of a part whose samples are answered, with `prediction` and `target`.
  hdf5::Group lay_out_answers(const std::string& part, const std::string& title, const Array& y);
  void write_score(hdf5::Group& group, const TestScore& score) const;
  void take_over(const Recorded& recorded);
  void write_weights();

  std::string result_;
  const BuiltNetwork& network_;
  const TrainingData& data_;
  bool is_classifier_;
  hdf5::File file_;
  std::map<std::string, hdf5::Dataset> datasets_;  // by path
  std::int64_t epochs_ = 0;
  std::int64_t tasks_ = 0;  // tasks of a sequence; 0: there is none
  TaskScores task_scores_;
  bool is_open_ = true;
};

}  // namespace gaia
