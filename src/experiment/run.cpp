// SPDX-License-Identifier: MIT
#include "run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "../array/device.h"
#include "../core/error.h"
#include "../core/log.h"
#include "../core/parallel.h"
#include "../io/output_files.h"
#include "../io/sha256.h"
#include "build.h"
#include "config_writer.h"
#include "metrics.h"
#include "placement.h"

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
        lock_(claim_output(config_.output.path, options.overwrite)),
        scope_(device_of_run(experiment)),
        precision_(config_.precision),
        hierarchy_(build_hierarchy(config_, experiment.features())),
        samples_(*experiment.series, config_.data, experiment.steps, config_.dtype, targets_reach(),
                 reads_latents()),
        metrics_(hierarchy_),
        block_steps_(choose_block_steps(hierarchy_, experiment.features(), experiment.steps,
                                        config_.hierarchy.learn)) {
    hierarchy_.allocate_state(1, experiment.features(), config_.dtype);
    for (const ReadoutConfig& readout : config_.readouts) {
      readouts_.emplace_back(readout, hierarchy_, experiment.steps, config_.output.representations);
    }
  }

  RunSummary run() {
    ResultsFile file(config_.output.path, config_, run_facts(), data_facts(), hierarchy_, readouts_,
                     block_steps_);
    const Stopwatch watch;
    RunStatus status = RunStatus::complete;
    std::string written;
    try {
      status = process(file, watch);
      file.write_checkpoint(done_, hierarchy_);
      written = file.finish(status, done_, watch_.seconds(), hierarchy_, readouts_);
    } catch (const OutputError&) {
      file.abandon();
      throw;
    } catch (...) {
      end_after_failure(file);
      throw;
    }
    return summarize(status, written, watch.seconds());
  }

 private:
  SampleReader::Reach targets_reach() const {
    SampleReader::Reach reach;
    for (const ReadoutConfig& readout : config_.readouts) {
      reach.back = std::max(reach.back, readout.mean_over - 1);
      reach.ahead = std::max(reach.ahead, readout.horizon);
    }
    return reach;
  }

  bool reads_latents() const {
    return std::any_of(config_.readouts.begin(), config_.readouts.end(),
                       [](const ReadoutConfig& readout) { return readout.of_latent; });
  }

  RunFacts run_facts() const {
    return {.config_text = to_yaml(config_),
            .config_file = experiment_.file,
            .command_line = options_.command_line,
            .device = to_string(scope_.device()),
            .steps = experiment_.steps,
            .threads = num_threads()};
  }

  DataFacts data_facts() const {
    return {.path = experiment_.data_path,
            .sha256 = experiment_.data_path.empty() ? "" : sha256_of_file(experiment_.data_path),
            .channel_names = experiment_.series->channel_names(),
            .features = samples_.features(),
            .offset = samples_.offset(),
            .scale = samples_.scale()};
  }

  /// All blocks, until the series ends or the run is to stop.
  RunStatus process(ResultsFile& file, const Stopwatch& watch) {
    const bool keeps_history = config_.output.weights.what == Recording::What::every;
    const std::int64_t history = keeps_history ? config_.output.weights.every : 0;
    if (keeps_history) file.append_weights(0, hierarchy_);
    while (done_ < experiment_.steps) {
      // Blocks lie on a grid; what must happen at a step in between cuts them.
      std::int64_t end = std::min(experiment_.steps, next_mark(done_, block_steps_, 0));
      end = std::min(end, next_mark(done_, history, experiment_.steps));
      end = std::min(end, next_mark(done_, config_.checkpoint_every, experiment_.steps));
      if (learns()) end = std::min(end, config_.hierarchy.freeze_after.value_or(end));
      process_block(file, end);
      if (history > 0 && done_ % history == 0) file.append_weights(done_, hierarchy_);
      const bool last = done_ == experiment_.steps || must_stop();
      file.commit(done_, last);
      if (config_.checkpoint_every > 0 && done_ % config_.checkpoint_every == 0) {
        file.write_checkpoint(done_, hierarchy_);
      }
      if (options_.on_progress) {
        options_.on_progress({done_, experiment_.steps, watch.seconds()});
      }
      if (last && done_ < experiment_.steps) return RunStatus::interrupted;
    }
    return RunStatus::complete;
  }

  bool learns() const {
    const HierarchyConfig& hierarchy = config_.hierarchy;
    return hierarchy.learn && done_ < hierarchy.freeze_after.value_or(experiment_.steps);
  }

  void process_block(ResultsFile& file, std::int64_t end) {
    const Stopwatch watch;
    const std::int64_t count = end - done_;
    const Array x = samples_.read(done_, count);
    const HierarchyBlock block =
        hierarchy_.process_block(x.expand_dims(0), {.learn = learns(), .check_finite = true});
    metrics_.update(block, hierarchy_);
    file.append(block, x);
    for (std::size_t i = 0; i < readouts_.size(); ++i) {
      file.append(i, readouts_[i].process(block, samples_));
    }
    file.append({.step = end,
                 .steps_per_second = static_cast<double>(count) / watch.seconds(),
                 .mean_activity = metrics_.mean_activity(),
                 .weight_norm = metrics_.weight_norm(),
                 .weight_change = metrics_.weight_change()});
    done_ = end;
  }

  bool must_stop() const {
    const bool asked = options_.stop != nullptr && options_.stop->load();
    return asked || (options_.max_seconds && watch_.seconds() >= *options_.max_seconds);
  }

  /// Marks the file as failed; what was committed stays.  The first error is the one that is told.
  void end_after_failure(ResultsFile& file) {
    try {
      file.finish(RunStatus::failed, done_, watch_.seconds(), hierarchy_, readouts_);
    } catch (const std::exception& error) {
      log_debug(std::string("the results file could not be marked as failed: ") + error.what());
    }
  }

  RunSummary summarize(RunStatus status, const std::string& file, double seconds) const {
    RunSummary summary{.status = status,
                       .file = file,
                       .steps_done = done_,
                       .steps = experiment_.steps,
                       .seconds = seconds,
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
    for (const Readout& readout : readouts_) {
      summary.readouts.push_back({readout.config(), readout.score()});
    }
    return summary;
  }

  Experiment& experiment_;
  const ExperimentConfig& config_;
  const RunOptions& options_;
  Stopwatch watch_;  // since the run was asked for
  std::unique_ptr<OutputLock> lock_;
  GPUContext scope_;
  MatmulPrecisionScope precision_;
  HierarchyManager hierarchy_;
  SampleReader samples_;
  LevelMetrics metrics_;
  std::int64_t block_steps_;
  std::vector<Readout> readouts_;
  std::int64_t done_ = 0;
};

}  // namespace

std::int64_t choose_block_steps(const HierarchyManager& hierarchy, std::int64_t features,
                                std::int64_t steps, bool learn) {
  constexpr double operations = 1e9;  // about a tenth of a second
  constexpr double numbers = 4e6;     // in all representations of a block
  constexpr std::int64_t most = 16384;
  constexpr std::int64_t least = 64;
  double per_step = static_cast<double>(features);
  for (const HierarchicalLevel& level : hierarchy.levels()) {
    per_step +=
        static_cast<double>(level.output_size()) / static_cast<double>(level.temporal_resolution());
  }
  const double wanted = std::min(operations / std::max(1.0, hierarchy.operations_per_step(learn)),
                                 numbers / per_step);
  // A short run is still cut, so that there is something to see of it.
  const std::int64_t share = std::max<std::int64_t>(256, steps / 32);
  const auto limit = std::min({most, share, static_cast<std::int64_t>(std::min(wanted, 1e9))});
  std::int64_t block = least;
  while (block * 2 <= limit) block *= 2;
  return block;
}

RunSummary run_experiment(Experiment& experiment, const RunOptions& options) {
  return Run(experiment, options).run();
}

}  // namespace gaia
