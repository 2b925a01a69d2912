// SPDX-License-Identifier: MIT
/// \file
/// Writes what a run gives while the run goes on: a thread of its own owns the results file and the
/// checkpoints beside it.
///
/// What is to be written is copied to the host where the run may change it, and queued block by
/// block, so that a block is in the file as a whole before anything says that it is.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "../../core/work_queue.h"
#include "checkpoints.h"
#include "results_file.h"

namespace gaia {

/// The functions are those of ResultsFile and Checkpoints, done in this order.  From the first of
/// them until `drain` nobody else may use the file, or call HDF5.
class ResultsWriter {
 public:
  /// `steps`: those that the file has already.  Without `overlaps` everything is written by who
  /// hands it over.
  ResultsWriter(ResultsFile& file, Checkpoints& checkpoints, std::int64_t steps, bool overlaps);

  void append(BlockRows rows);
  void append(std::size_t readout, Readout::Added added);
  void append(BlockMetrics metrics);
  void append(RateRows rows);
  /// Writes the solutions of the readouts that have found something since the last call.
  void write_solutions(const std::vector<Readout>& readouts);
  void append_weights(std::int64_t step, const HierarchyManager& hierarchy);
  void commit(std::int64_t steps, bool force);
  /// `state` is that of copied_state.
  void write_checkpoint(std::int64_t step, ArrayMap state, bool is_end);
  /// Stores everything from which the run goes on beside the result, once what it refers to is on
  /// the disk.
  void store(std::int64_t step, ArrayMap arrays);

  /// Passes on what the functions above were given since the last call.  Waits while two such
  /// parts are not in the file yet.  \throws what an earlier write has thrown.
  void submit();

  /// Waits until all that was passed to it is in the file.  \throws what a write has thrown.
  void drain() { queue_.drain(); }
  /// The same where the run has failed; throws only if a write had failed before it.
  void drain_after_failure() { queue_.drain_after_failure(); }

  /// Steps that the file has, as `commit` stated it; to be asked when it is drained.
  std::int64_t steps_in_file() const { return steps_; }

 private:
  ResultsFile& file_;
  Checkpoints& checkpoints_;
  std::int64_t steps_;
  std::vector<bool> has_solution_;           // whether each readout has one
  std::vector<std::function<void()>> part_;  // since the last submit
  WorkQueue queue_;                          // last: its thread uses the others
};

}  // namespace gaia
