// SPDX-License-Identifier: MIT
/// \file
/// Writes the results of a run: docs/results.md describes every dataset and attribute.
///
/// NAME.h5.partial is laid out whole, then opened to readers (SWMR) and filled block by block;
/// /status/committed_steps, written last, says how many steps are safe whatever happens next.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../array/array_map.h"
#include "../../hierarchy/messages.h"
#include "../readouts/control.h"
#include "neuron_answers.h"
#include "results_layout.h"
#include "results_rows.h"

namespace gaia {

/// One row of /metrics.
struct BlockMetrics {
  std::int64_t step = 0;  ///< Steps done when the block ended.
  double steps_per_second = 0.0;
  // One number per level:
  std::vector<double> mean_activity;  ///< Mean |y| over the block's ticks; NaN without a tick.
  std::vector<double> weight_norm;    ///< Mean |w_i| over the neurons of all layers.
  std::vector<double> weight_change;  ///< |W - W before the block| / |W before the block|.
  /// Time that the levels took, where hierarchy.messages has it measured; NaN where it was not.
  std::vector<double> seconds = {};
};

/// What a block adds to the series, on the host.
struct BlockRows {
  std::int64_t trial_start = 0;  ///< First step of its trial.
  std::int64_t first_step = 0;   ///< First step of the block, counted from there.
  std::int64_t steps = 0;
  std::optional<SideValues> times;     ///< Time of every step, if the series has a time column.
  std::vector<Array> representations;  ///< [ticks recorded, n] of each level.
  Array samples;                       ///< [steps, features] if they are recorded.
  /// What each level tells of the ticks recorded beside them, [ticks recorded, ...].
  std::vector<std::vector<Array>> beside = {};
};

/// What is recorded of a block that begins at step `first` of the series, of its samples [steps,
/// features] and their times.
BlockRows rows_of(const HierarchyBlock& block, const Array& samples, std::int64_t first,
                  std::optional<SideValues> times, const OutputConfig& output);

/// What `learning_rate: auto` came to be in a block.
struct RateRows {
  std::size_t level = 0;
  std::size_t layer = 0;
  std::vector<std::int64_t> steps = {};  ///< Steps of all epochs, from which on it is the rate.
  std::vector<double> rates = {};
};

class ResultsFile {
 public:
  /// Creates and lays out NAME.h5.partial.  With `recorded` it is a new file, beside the old one
  /// until it holds what that one has of the first steps, and then in its place. \throws
  /// OutputError, DataError if the old one does not have these steps.
  ResultsFile(const std::string& result_path, const ExperimentConfig& config, const RunFacts& run,
              const DataFacts& data, const HierarchyManager& hierarchy,
              const std::vector<Readout>& readouts, std::int64_t block_steps,
              const Recorded& recorded = {});

  void append(const BlockRows& rows);
  /// Appends what a block added to readout number `readout`.
  void append(std::size_t readout, const Readout::Added& added);
  void append(const BlockMetrics& metrics);
  /// Appends rates, but for weights that have a history: there they stand in that.
  void append(const RateRows& rows);
  /// Stores what readout number `readout` has found.
  void write_solution(std::size_t readout, const ReadoutSolution& solution);
  /// Appends the weights as they are after `step` steps to their history, and beside them the rates
  /// of the last tick; `state` has the weights under the names of HierarchyManager::state, `rates`
  /// those that are found, in the order of their layers.
  void append_weights(std::int64_t step, const ArrayMap& state, const std::vector<double>& rates);

  /// Makes what was appended, up to `steps`, safe from a crash of the program.  Calls that follow
  /// each other closely do nothing, unless `force`.
  void commit(std::int64_t steps, bool force = false);

  /// Stores the hierarchy's state after `step` steps in /checkpoint: a multiple of
  /// checkpoint.every, or (`is_end`) where the run ends or is interrupted.
  void write_checkpoint(std::int64_t step, const ArrayMap& state, bool is_end);
  /// Brings what was committed to the disk, for what refers to it and is to survive a power cut.
  void sync();

  /// Writes what later ticks say of the states that filters have followed, where that is asked for;
  /// all ticks have been appended.
  void smooth(const HierarchyManager& hierarchy);

  /// Ends the file: the final weights, scores and status are stored; a complete file gets its name,
  /// another stays NAME.h5.partial.  `controls`: of every readout; `answers`: of every level, where
  /// they are known; `messages`: null where levels sent none; `inputs_noticed`: what a
  /// reader should know of the inputs.  Returns its path.  After a
  /// failure to end it, ending it once more does nothing.
  std::string finish(RunStatus status, std::int64_t steps_done, double wall_seconds,
                     const HierarchyManager& hierarchy, const std::vector<Readout>& readouts,
                     const std::vector<std::vector<ControlScore>>& controls, bool in_sample,
                     const std::vector<NeuronAnswers>& answers = {},
                     const Messages* messages = nullptr,
                     const std::vector<std::string>& inputs_noticed = {});

  /// After a write that failed: leaves the file as a killed program would, since closing it would
  /// write of data that are not there.  What was committed can be read.
  void abandon();

 private:
  /// How many ticks of a level are recorded of the first `steps` steps of the series.
  std::int64_t ticks_within(std::size_t level, std::int64_t steps) const;
  /// Appends the times of some steps: those that are given, or by the sample rate.
  void append_times(hdf5::Dataset& to, std::int64_t length, const std::vector<std::int64_t>& steps,
                    const std::optional<SideValues>& times) const;
  void take_over(const Recorded& recorded, const std::vector<Readout>& readouts);
  void write_final_weights(const HierarchyManager& hierarchy);
  /// Calls `body` with those datasets of a layer that grow, and there are.
  template <class Body>
  static void for_each_history(ResultsLayout::Layer& layer, const Body& body);

  const ExperimentConfig& config_;
  std::int64_t all_steps_;  // steps of all epochs
  Trials trials_;           // trials of one epoch; the series are recorded in the last one
  std::string result_;
  std::string partial_;
  hdf5::File file_;
  ResultsLayout layout_;
  bool is_open_ = true;
  std::optional<std::chrono::steady_clock::time_point> last_commit_;
};

}  // namespace gaia
