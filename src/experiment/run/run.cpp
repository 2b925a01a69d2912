// SPDX-License-Identifier: MIT
#include "run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "../../array/device.h"
#include "../../core/error.h"
#include "../../core/log.h"
#include "../../core/parallel.h"
#include "../../io/diverged.h"
#include "../../io/output_files.h"
#include "../config/config_writer.h"
#include "../results/results_writer.h"
#include "../setup/block_steps.h"
#include "../setup/build.h"
#include "auto_rates.h"
#include "../setup/whitened_series.h"
#include "controls.h"
#include "metrics.h"
#include "placement.h"
#include "rate_schedule.h"
#include "rates.h"

namespace gaia {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The next step after `step` at which something is stored, every `every` steps (0: never).
std::int64_t next_mark(std::int64_t step, std::int64_t every, std::int64_t never) {
  return every == 0 ? never : (step / every + 1) * every;
}

/// One run from its first step to its file.
class Run {
 public:
  Run(Experiment& experiment, const RunOptions& options)
      : experiment_(experiment),
        config_(experiment.config),
        options_(options),
        all_steps_(experiment.all_steps()),
        cut_(options.cut),
        lock_(cut_ != nullptr ? std::move(cut_->lock)
                              : claim_output(config_.output.path, options.overwrite)),
        scope_(device_of_run(experiment)),
        precision_(config_.precision),
        hierarchy_(build_hierarchy(config_, experiment.features())),
        learnt_(experiment.from ? load_learnt(experiment.from->path, config_, hierarchy_)
                                : Learnt{}),
        signal_columns_(hierarchy_.signal_columns()),
        samples_(*experiment.series, config_.data, experiment.trials, config_.dtype,
                 reach_of(config_.readouts), read_latents(config_.readouts)),
        metrics_(hierarchy_),
        controls_(experiment, hierarchy_, learnt_),
        block_steps_(choose_block_steps(hierarchy_, experiment.features(),
                                        experiment.trials.longest().steps,
                                        config_.hierarchy.learn)) {
    if (may_overlap()) samples_.read_ahead();
    hierarchy_.allocate_state(1, experiment.features(), config_.dtype);
    for (std::size_t i = 0; i < config_.readouts.size(); ++i) {
      const ReadoutConfig& readout = config_.readouts[i];
      readouts_.emplace_back(readout, readout_sources(readout, hierarchy_),
                             readout_spacing(readout, config_.hierarchy.levels,
                                             config_.output.representations),
                             experiment.trials, experiment.series->channels(),
                             experiment.series->classes(),
                             learnt_.readouts.empty() ? ReadoutSolution{} : learnt_.readouts[i]);
    }
    if (cut_ != nullptr) go_on_from(cut_->found.checkpoint);
  }

  RunSummary run() {
    const RunFacts facts = run_facts();
    in_sample_ = facts.in_sample;
    Checkpoints checkpoints(config_.output.path, facts.run_id, config_.checkpoint,
                            options_.checkpoint, cut_ == nullptr ? 0 : 1 - cut_->found.number);
    ResultsFile file(config_.output.path, config_, facts, data_facts(), hierarchy_, readouts_,
                     block_steps_,
                     {.file = cut_ == nullptr ? nullptr : &cut_->partial, .steps = done_});
    ResultsWriter writer(file, checkpoints, config_.output, done_, may_overlap());
    start_ = watch_.seconds();
    RunStatus status = RunStatus::complete;
    std::string written;
    try {
      status = fill(writer, checkpoints);
      written = file.finish(status, done_, seconds_before_ + watch_.seconds(), hierarchy_,
                            readouts_, controls_.scores(), in_sample_);
      if (status == RunStatus::complete) remove_leftovers(config_.output.path);
    } catch (const OutputError&) {
      file.abandon();
      throw;
    } catch (const DivergedError& error) {
      end_after_failure(file, writer.steps_in_file(), error.what());
      throw;
    } catch (...) {
      end_after_failure(file, writer.steps_in_file());
      throw;
    }
    return summarize(status, written);
  }

 private:
  RunFacts run_facts() const {
    return facts_of_run(experiment_, cut_ == nullptr ? nullptr : &cut_->facts,
                        options_.command_line, to_string(scope_.device()), all_steps_);
  }

  DataFacts data_facts() const {
    return {.trials = experiment_.trials,
            .time = samples_.time_kind(),
            .channel_names = experiment_.series->channel_names(),
            .features = samples_.features(),
            .scaling = {samples_.offset(), samples_.scale()},
            .from = experiment_.from,
            .shape = experiment_.picture_shape(),
            .whitening = whitening_of(*experiment_.series)};
  }

  /// Takes over the state of a run that was cut.
  void go_on_from(const Checkpoint& checkpoint) {
    try {
      const std::int64_t step = step_in_trial(checkpoint.step);
      hierarchy_.set_state(checkpoint.arrays, step);
      metrics_.set_state(checkpoint.arrays, hierarchy_);
      for (Readout& readout : readouts_) readout.set_state(checkpoint.arrays, step);
      controls_.set_state(checkpoint.arrays, step);
      seconds_before_ = numbers_of(checkpoint.arrays, "run/seconds", 1).front();
    } catch (const Error& error) {
      throw OutputError(config_.output.path +
                        ": its checkpoint is not of this experiment: " + error.what());
    }
    done_ = checkpoint.step;
  }

  /// Whether the next block is read, and the last one written, while a block is computed.  One
  /// thread does everything in turn, and libhdf5 cannot read, as it does data that are trusted,
  /// while it writes.
  bool may_overlap() const {
    const auto* const from = std::get_if<FileConfig>(&config_.data.source);
    return num_threads() > 1 && (from == nullptr || !from->trusted);
  }

  /// Everything from which the run goes on.  `state` is that of the hierarchy.
  ArrayMap state_of_run(ArrayMap state) const {
    metrics_.add_state(state);
    for (const Readout& readout : readouts_) readout.add_state(state);
    controls_.add_state(state);
    put_numbers(state, "run/seconds", {seconds_before_ + watch_.seconds()});
    return state;
  }

  /// Fills the file; when that is over, in whatever way, nothing is being written any more.
  RunStatus fill(ResultsWriter& writer, Checkpoints& checkpoints) {
    try {
      const RunStatus status = process(writer, checkpoints);
      const ArrayMap state = copied_state(hierarchy_);
      writer.write_checkpoint(done_, state, true);
      if (status == RunStatus::interrupted) writer.store(done_, state_of_run(state));
      writer.hand_over();
      writer.drain();
      return status;
    } catch (...) {
      writer.drain_after_failure();
      throw;
    }
  }

  /// All blocks, until the series ends or the run is to stop.
  RunStatus process(ResultsWriter& writer, Checkpoints& checkpoints) {
    const bool keeps_history = config_.output.weights.what == Recording::What::every;
    const std::int64_t history = keeps_history ? config_.output.weights.every : 0;
    const std::int64_t every = config_.checkpoint.every;
    if (keeps_history && done_ == 0) {
      writer.append_weights(0, hierarchy_);
      writer.hand_over();
    }
    if (cut_ == nullptr) controls_.prepare(samples_, block_steps_);
    while (done_ < all_steps_) {
      const std::int64_t in_trial = step_in_trial(done_);
      if (in_trial == 0 && done_ > 0) begin_trial();
      // Blocks lie on a grid in each trial; what must happen at a step in between cuts them.
      std::int64_t end = done_ - in_trial + std::min(trial_at(done_).steps,
                                                     next_mark(in_trial, block_steps_, 0));
      end = std::min(end, next_mark(done_, history, all_steps_));
      end = std::min(end, next_mark(done_, every, all_steps_));
      end = learning_cut(config_.hierarchy, done_, end);
      process_block(writer, end);
      if (history > 0 && done_ % history == 0) writer.append_weights(done_, hierarchy_);
      const bool last = done_ == all_steps_ || must_stop();
      const bool is_mark = every > 0 && done_ % every == 0;
      const bool stores = is_mark || checkpoints.is_due();
      writer.commit(done_, last || stores);
      if (stores) {
        const ArrayMap state = copied_state(hierarchy_);
        if (is_mark) writer.write_checkpoint(done_, state, false);
        if (!last) writer.store(done_, state_of_run(state));
      }
      writer.hand_over();
      if (options_.on_progress) {
        options_.on_progress({done_, all_steps_, seconds()});
      }
      if (last && done_ < all_steps_) return RunStatus::interrupted;
    }
    return RunStatus::complete;
  }

  bool learns() const { return done_ < learning_end(config_.hierarchy, all_steps_); }

  /// The step of the series that is step `step` of all epochs.
  std::int64_t step_in_epoch(std::int64_t step) const { return step % experiment_.steps; }
  const Trial& trial_at(std::int64_t step) const {
    return experiment_.trials.at(step_in_epoch(step));
  }
  std::int64_t step_in_trial(std::int64_t step) const {
    return step_in_epoch(step) - trial_at(step).first_step;
  }

  /// A trial begins, or the series anew: what was carried from step to step is forgotten, what was
  /// learnt is not.
  void begin_trial() {
    hierarchy_.reset_state();
    hierarchy_.allocate_state(1, experiment_.features(), config_.dtype);
    for (Readout& readout : readouts_) readout.begin_trial();
    controls_.begin_trial();
  }

  void process_block(ResultsWriter& writer, std::int64_t end) {
    const Stopwatch watch;
    const std::int64_t count = end - done_;
    const std::int64_t first = step_in_epoch(done_);
    const Array x = samples_.read(first, count);
    for (Readout& readout : readouts_) readout.before_block(hierarchy_, x);
    const TickSignals signals = samples_.signals(signal_columns_, first, count);
    const HierarchyBlock block = answer(x, signals);
    metrics_.update(block, hierarchy_);
    // Of the series the last epoch is recorded and read out, of the learning all of them.
    if (done_ >= all_steps_ - experiment_.steps) {
      writer.append(rows_of(block, x, first, samples_.times(first, count), config_.output));
      for (std::size_t i = 0; i < readouts_.size(); ++i) {
        writer.append(i, readouts_[i].process(block, samples_));
      }
      writer.write_solutions(readouts_);
      controls_.process(x, signals, samples_);
    }
    writer.append({.step = end,
                   .steps_per_second = static_cast<double>(count) / watch.seconds(),
                   .mean_activity = metrics_.mean_activity(),
                   .weight_norm = metrics_.weight_norm(),
                   .weight_change = metrics_.weight_change()});
    done_ = end;
  }

  HierarchyBlock answer(const Array& x, const TickSignals& signals) {
    hierarchy_.scale_learning_rate(rate_factor(config_.hierarchy.schedule, done_));
    try {
      return hierarchy_.process_block(x.expand_dims(0),
                                      {.learn = learns(), .check_finite = true, .signals = signals});
    } catch (const DivergedError& error) {
      throw DivergedError(error.what() + advice(error), error.level, error.layer, error.step);
    }
  }

  /// What is known of the rate of the layer that diverged; empty where that cannot be found out.
  std::string advice(const DivergedError& error) {
    try {
      HierarchyManager anew = build_hierarchy(config_, experiment_.features());
      if (experiment_.from) load_learnt(experiment_.from->path, config_, anew);
      return rate_advice(measure_rates(anew, samples_), static_cast<std::size_t>(error.level),
                         static_cast<std::size_t>(error.layer));
    } catch (const std::exception&) {
      return {};
    }
  }

  /// Of running since the first step.
  double seconds() const { return seconds_before_ + watch_.seconds() - start_; }

  bool must_stop() const {
    const bool asked = options_.stop != nullptr && options_.stop->load();
    return asked || (options_.max_seconds && watch_.seconds() >= *options_.max_seconds);
  }

  /// Marks the file, which has so many steps, as failed, or as diverged where `why` is given; what
  /// was committed stays.  The first error is the one that is told.
  void end_after_failure(ResultsFile& file, std::int64_t steps, const char* why = nullptr) {
    try {
      file.finish(RunStatus::failed, steps, seconds_before_ + watch_.seconds(), hierarchy_,
                  readouts_, controls_.scores(), in_sample_);
      if (why != nullptr) mark_as_diverged(partial_path(config_.output.path), why);
    } catch (const std::exception& error) {
      log_debug(std::string("the results file could not be marked as failed: ") + error.what());
    }
  }

  RunSummary summarize(RunStatus status, const std::string& file) const {
    RunSummary summary{.status = status,
                       .file = file,
                       .steps_done = done_,
                       .steps = all_steps_,
                       .seconds = seconds(),
                       .control_seconds = controls_.seconds(),
                       .levels = {},
                       .readouts = {}};
    for (std::size_t n = 0; n < hierarchy_.levels().size(); ++n) {
      const HierarchicalLevel& level = hierarchy_.levels()[n];
      summary.levels.push_back({.temporal_resolution = level.temporal_resolution(),
                                .ticks = metrics_.ticks(n),
                                .neurons = level.output_size(),
                                .mean_activity = metrics_.overall_activity(n),
                                .weight_norm = metrics_.weight_norm()[n],
                                .weight_change = metrics_.overall_change(n)});
    }
    const std::vector<std::vector<ControlScore>> controls = controls_.scores();
    for (std::size_t i = 0; i < readouts_.size(); ++i) {
      const ReadoutConfig& config = readouts_[i].config();
      summary.readouts.push_back({config, target_text(config, experiment_.series->channel_names()),
                                  readouts_[i].score(), readouts_[i].validation(), controls[i],
                                  {}, in_sample_});
      for (const ControlPlan& plan : controls_.plans()) {
        if (plan.is_read(i)) continue;
        summary.readouts.back().left_out.push_back(plan.name + ": " + plan.left_out[i]);
      }
    }
    return summary;
  }

  Experiment& experiment_;
  const ExperimentConfig& config_;
  const RunOptions& options_;
  std::int64_t all_steps_;       // of all epochs
  Stopwatch watch_;              // since the run was asked for
  double start_ = 0.0;           // on that watch, of the first step
  double seconds_before_ = 0.0;  // of a run that goes on
  CutRun* cut_;                  // null: this one does not
  std::unique_ptr<OutputLock> lock_;
  GPUContext scope_;
  MatmulPrecisionScope precision_;
  HierarchyManager hierarchy_;
  Learnt learnt_;  // before this run
  std::vector<std::string> signal_columns_;  // that rules read beside samples
  SampleReader samples_;
  LevelMetrics metrics_;
  Controls controls_;
  std::int64_t block_steps_;
  std::vector<Readout> readouts_;
  std::int64_t done_ = 0;
  bool in_sample_ = false;
};

}  // namespace

RunSummary run_experiment(Experiment& experiment, const RunOptions& options) {
  settle_rates(experiment);
  return Run(experiment, options).run();
}

}  // namespace gaia
