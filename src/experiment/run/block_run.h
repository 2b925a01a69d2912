// SPDX-License-Identifier: MIT
/// \file
/// One run from its first step to its file, block by block, so that anyone who drives it can have
/// the hierarchies of several runs compute together.
///
///     BlockRun run(experiment, options, ProcessUse::exclusive);
///     run.begin();
///     while (const BlockToRead* block = run.next())
///       run.take(run.hierarchy().process_block(block->x, block->options));
///     const HierarchySummary summary = run.finish();
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../array/device.h"
#include "../../array/precision.h"
#include "../../hierarchy/manager.h"
#include "../../hierarchy/messages.h"
#include "../data/sample_reader.h"
#include "../results/results_writer.h"
#include "../setup/learnt.h"
#include "controls.h"
#include "hierarchy_run.h"
#include "input_watch.h"
#include "learning_steps.h"
#include "metrics.h"

namespace gaia {

/// What the hierarchy of a run is to read next.
struct BlockToRead {
  Array x;  ///< [1, steps, features]
  ProcessOptions options;
};

/// Whether a run has its process to itself.
enum class ProcessUse : std::uint8_t {
  exclusive,  ///< With several threads, blocks are read and written while others are computed.
  shared,     ///< The run reads and writes in turn with others, since libhdf5 takes one thread at a
              ///< time.
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Until it is destroyed it holds the lock of its results file, and its device is the current one
/// of the thread: of several that live at a time the last created must be destroyed first.
///
/// Once a function has thrown, the file is left as NAME.h5.partial, marked failed, and no other may
/// be called.
class BlockRun {
 public:
  /// Begins as run_hierarchy does, with the rates settled. \throws LockedError, OutputError,
  /// DeviceError, DataError.
  BlockRun(Experiment& experiment, const RunOptions& options, ProcessUse use);
  BlockRun(const BlockRun&) = delete;
  BlockRun& operator=(const BlockRun&) = delete;

  /// Lays out the file, and does what is done before the first step.
  void begin();

  /// What to read next, or null where the run is over or was asked to stop.
  const BlockToRead* next();
  /// Answers that the hierarchy computed from it.
  void take(const HierarchyBlock& block);
  /// Computing it has failed.  \throws the error; of one that has diverged with advice.
  [[noreturn]] void fail(const std::exception_ptr& error);

  HierarchySummary finish();

  HierarchyManager& hierarchy() { return hierarchy_; }
  const HierarchyManager& hierarchy() const { return hierarchy_; }
  /// Whether their blocks begin and end at the same steps.
  bool steps_like(const BlockRun& other) const;

 private:
  RunFacts run_facts() const;
  DataFacts data_facts() const;
  void go_on_from(const Checkpoint& checkpoint);
  bool may_overlap() const;
  ArrayMap state_of_run(ArrayMap state) const;

  bool learns() const;
  std::int64_t step_in_epoch(std::int64_t step) const { return step % experiment_.steps; }
  const Trial& trial_at(std::int64_t step) const;
  std::int64_t step_in_trial(std::int64_t step) const;
  std::int64_t end_of_block() const;
  void begin_trial();
  void read_block();
  void record(const HierarchyBlock& block);
  std::vector<double> seconds_of_levels();
  /// Step, of all epochs, behind `step` at which readouts read the training part again; `most`
  /// where there is none before it.
  std::int64_t next_reading_again(std::int64_t step, std::int64_t most) const;
  void read_again();
  void run_free();
  void store(bool is_last);

  void keep_state();
  DivergedError first_bad(const DivergedError& error) const;
  std::string told(const DivergedError& error);
  std::string need_of(const DivergedError& error) const;
  std::string advice(const DivergedError& error);
  double seconds() const { return seconds_before_ + watch_.seconds() - start_; }
  bool must_stop() const;
  [[noreturn]] void end_failed();
  template <class Step>
  void or_fail(Step&& step);
  NeuronAnswers answers_of(std::size_t level) const;
  std::vector<NeuronAnswers> all_answers() const;
  HierarchySummary summarize(RunStatus status, const std::string& file) const;

  Experiment& experiment_;
  const ExperimentConfig& config_;
  RunOptions options_;
  std::int64_t all_steps_;  // steps of all epochs
  LearningSteps learning_;
  Stopwatch watch_;              // since the run was asked for
  double start_ = 0.0;           // on that watch, of the first step
  double seconds_before_ = 0.0;  // seconds before a run that goes on was cut
  CutRun* cut_;                  // null: this one does not
  bool is_exclusive_;
  std::unique_ptr<OutputLock> lock_;
  GPUContext scope_;
  MatmulPrecisionScope precision_;
  HierarchyManager hierarchy_;
  Learnt learnt_;                            // before this run
  std::vector<std::string> signal_columns_;  // columns that rules read beside samples
  SampleReader samples_;
  LevelMetrics metrics_;
  Controls controls_;
  std::int64_t block_steps_;
  std::vector<Readout> readouts_;
  InputWatch input_watch_;
  std::optional<Messages> messages_;  // those of the last epoch, if hierarchy.messages asks
  std::int64_t done_ = 0;
  bool in_sample_ = false;

  // From `begin` on; the writer is destroyed first.
  std::optional<Checkpoints> checkpoints_;
  std::optional<ResultsFile> file_;
  std::optional<ResultsWriter> writer_;
  bool is_cut_ = false;  // it was asked to stop

  // The block that is being computed.
  BlockToRead block_;
  std::vector<Array> before_;  // what the hierarchy carried on before it, in the order of `state`
  std::int64_t before_step_ = 0;  // at which it stood
  Stopwatch block_watch_;
  LevelSeconds level_seconds_;    // before it
  std::int64_t block_first_ = 0;  // its first step in the series
  std::int64_t block_end_ = 0;    // the step after its last, of all epochs
};

}  // namespace gaia
