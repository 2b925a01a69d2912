// SPDX-License-Identifier: MIT
#include "readout_trial.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../../array/precision.h"
#include "../../core/error.h"
#include "../../core/log.h"
#include "../data/block_steps.h"
#include "../data/sample_reader.h"
#include "../readouts/free_reader.h"
#include "../readouts/readout.h"
#include "../setup/build.h"
#include "../setup/first_samples.h"
#include "controls.h"

namespace gaia {
namespace {

constexpr double kReading = 0.5;          // seconds for the rows that are trained on
constexpr double kTraining = 1.0;         // seconds for all trainings
constexpr std::int64_t kFirstRows = 256;  // rows of the first training
constexpr std::int64_t kFreeSteps = 16;   // steps of a free run

double seconds_taken(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// One readout of the run or of a control, and the rows that it has read.
class TriedReadout {
 public:
  explicit TriedReadout(Readout& readout) : readout_(&readout) {}

  /// Rows that it is trained on at once.
  std::int64_t rows_wanted() const {
    return readout_->config().learn ? readout_->training_ticks() : 1;
  }
  bool has_enough() const { return counts_in_blocks() || rows_ >= rows_wanted(); }

  void read(const HierarchyBlock& block, const SampleReader& samples) {
    if (counts_in_blocks()) {
      read_seconds_ += seconds_taken([&] { readout_->process(block, samples); });
      read_ticks_ += ticks_in(block);
      return;
    }
    // The run too copies what its models read.
    read_seconds_ += seconds_taken([&] { keep(readout_->read(block, samples)); });
    read_ticks_ += ticks_in(block);
  }

  /// A step of a free run takes so long beside the prediction.
  void add_free_step(double seconds) { free_step_ = seconds; }

  /// Seconds of the whole run, of which `most` may be spent on trainings here.
  double seconds(double most) const {
    const ReadoutTicks& ticks = readout_->ticks();
    const auto all = static_cast<double>(ticks.all());
    double seconds = read_ticks_ > 0 ? read_seconds_ / static_cast<double>(read_ticks_) * all : 0.0;
    if (counts_in_blocks() || rows_ == 0) return seconds;
    const Trained trained = train(most);
    const ReadoutConfig& config = readout_->config();
    if (config.learn) seconds += trained.of(rows_wanted());
    for (std::int64_t k = 0; config.learn && k < config.folds; ++k) {
      seconds += trained.of(count_of(ticks.fold(k).training));
    }
    const std::int64_t predicted =
        config.folds > 0 ? ticks.all() : count_of(ticks.validation()) + count_of(ticks.test());
    seconds += trained.predicting * static_cast<double>(predicted);
    if (config.free_run.is_there) {
      seconds += (free_step_ + trained.predicting) * static_cast<double>(config.free_run.steps) *
                 static_cast<double>(config.free_run.starts.size());
    }
    return seconds;
  }

 private:
  /// Keeps rows that it could be trained on.
  void keep(const ReadoutRows& rows) {
    const ReadoutTask task = readout_->config().task();
    const bool has_targets = task == ReadoutTask::regression || task == ReadoutTask::classes ||
                             task == ReadoutTask::matching;
    const auto append = [](std::vector<double>& to, std::span<const double> numbers) {
      to.insert(to.end(), numbers.begin(), numbers.end());
    };
    const auto is_known = [&](std::int64_t row) {
      return !has_targets || readout_->is_known(rows, row);
    };
    std::vector<double> room;
    for (std::int64_t begin = 0; begin < rows.count();) {
      std::int64_t end = begin;
      while (end < rows.count() && is_known(end)) ++end;
      append(features_, readout_->read_by_model(rows, begin, end, room));
      if (has_targets) {
        const std::int64_t width = std::ssize(rows.targets) / rows.count();
        append(targets_, rows_between(rows.targets, begin, end, width));
      }
      rows_ += end - begin;
      begin = end + 1;
    }
  }

  /// What was measured of trainings on ever more rows.
  struct Trained {
    std::int64_t rows = 0;    ///< Rows of the longest.
    double seconds = 0.0;     ///< Time of that.
    double each = 0.0;        ///< Time of every further row.
    double predicting = 0.0;  ///< Time of a prediction.

    double of(std::int64_t count) const {
      return std::max(0.0, seconds + each * static_cast<double>(count - rows));
    }
  };

  /// Whether it learns or watches while it reads, so that blocks tell all of its time.
  bool counts_in_blocks() const {
    const ReadoutConfig& config = readout_->config();
    return config.kind->is_online() || !config.predicts() ||
           config.task() == ReadoutTask::statistic;
  }

  std::int64_t ticks_in(const HierarchyBlock& block) const {
    const std::int64_t spacing = readout_->ticks().spacing();
    return (block.steps + spacing - 1) / spacing;
  }

  Trained train(double most) const {
    Trained trained;
    const std::int64_t enough = std::min(rows_, rows_wanted());
    double spent = 0.0;
    for (std::int64_t rows = std::min(kFirstRows, enough);; rows = std::min(2 * rows, enough)) {
      const std::unique_ptr<ReadoutModel> model = readout_->make_model();
      double seconds = 0.0;
      if (readout_->config().learn) {
        seconds = seconds_taken([&] {
          for (std::int64_t row = 0; row < rows; row += kFirstRows) {
            const std::int64_t end = std::min(rows, row + kFirstRows);
            model->add(part(features_, row, end), part(targets_, row, end));
          }
          model->solve();
        });
      }
      if (rows > trained.rows) {
        trained.each = trained.rows > 0
                           ? std::max(0.0, (seconds - trained.seconds) /
                                               static_cast<double>(rows - trained.rows))
                           : seconds / static_cast<double>(rows);
      }
      trained.rows = rows;
      trained.seconds = seconds;
      spent += seconds;
      if (rows < enough && spent < most) continue;
      if (!readout_->config().learn) return trained;
      trained.predicting = seconds_taken([&] { model->predict(part(features_, 0, rows)); }) /
                           static_cast<double>(rows);
      return trained;
    }
  }

  /// Numbers of rows [begin, end), none where no row has any.
  std::span<const double> part(const std::vector<double>& numbers, std::int64_t begin,
                               std::int64_t end) const {
    return rows_between(numbers, begin, end, std::ssize(numbers) / rows_);
  }

  Readout* readout_;
  std::int64_t rows_ = 0;
  std::vector<double> features_;  // [rows, numbers that the model reads]
  std::vector<double> targets_;   // [rows, targets]; empty where the model is given none
  std::int64_t read_ticks_ = 0;
  double read_seconds_ = 0.0;
  double free_step_ = 0.0;
};

/// Readouts of a run and of its controls that read its first blocks.
class Rehearsal {
 public:
  explicit Rehearsal(const Experiment& experiment)
      : experiment_(experiment),
        config_(experiment.config),
        hierarchy_(build_hierarchy(config_, experiment.features())),
        samples_(*experiment.series, config_.data, experiment.trials, config_.dtype,
                 reach_of(config_.readouts), read_latents(config_.readouts)),
        controls_(experiment, begin_with_samples(hierarchy_, experiment, samples_), Learnt()),
        block_steps_(choose_block_steps(hierarchy_, experiment.features(),
                                        experiment.trials.longest().steps,
                                        config_.hierarchy().learn)) {
    for (const ReadoutConfig& readout : config_.readouts) {
      if (readout.kind->fuses()) continue;  // which takes no time beside those that it fuses
      readouts_.emplace_back(readout, readout_sources(readout, hierarchy_),
                             tick_options(readout, config_), experiment.trials,
                             experiment.series->channels(), experiment.series->classes());
      tried_.emplace(&readouts_.back(), TriedReadout(readouts_.back()));
    }
    hierarchy_.allocate_state(1, experiment.features(), config_.dtype);
  }

  double seconds() {
    // What goes wrong here is for the run to report, on all of its data.
    or_log([&] { read(); });
    // What hidden values take a generator comes on top of reading the samples alone.
    double seconds = 0.0;
    if (read_latents(config_.readouts) && read_steps_ > 0) {
      seconds += sample_seconds_ / static_cast<double>(read_steps_) *
                 static_cast<double>(experiment_.all_steps());
    }
    for (const auto& [readout, tried] : tried_) {
      or_log([&] { seconds += tried.seconds(kTraining / static_cast<double>(tried_.size())); });
    }
    return seconds;
  }

 private:
  static void or_log(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      log_debug(std::string("the trial of a readout ended early: ") + error.what());
    }
  }

  bool have_enough() const {
    return std::all_of(tried_.begin(), tried_.end(),
                       [](const auto& one) { return one.second.has_enough(); });
  }

  /// Reads trial after trial until there are rows enough or the time is over.
  void read() {
    double spent = 0.0;
    for (const Trial& trial : experiment_.trials.all()) {
      if (trial.first_step > 0) begin_trial();
      for (std::int64_t step = trial.first_step; step < trial.end();) {
        const std::int64_t count = std::min(block_steps_, trial.end() - step);
        spent += seconds_taken([&] { read_block(step, count); });
        step += count;
        if (spent >= kReading || have_enough()) return;
      }
    }
  }

  void begin_trial() {
    hierarchy_.reset_state();
    hierarchy_.allocate_state(1, experiment_.features(), config_.dtype);
    for (Readout& readout : readouts_) readout.begin_trial();
    controls_.begin_trial();
  }

  void read_block(std::int64_t step, std::int64_t count) {
    Array x;
    sample_seconds_ += seconds_taken([&] { x = samples_.read(step, count); });
    read_steps_ += count;
    if (step == 0) controls_.prepare_by(x);
    for (Readout& readout : readouts_) readout.before_block(hierarchy_, x);
    const ProcessOptions options{
        .learn = config_.hierarchy().learn,
        .check_finite = true,
        .undo_failures = false,
        .signals = samples_.signals(hierarchy_.signal_columns(), step, count)};
    const HierarchyBlock block = hierarchy_.process_block(x.expand_dims(0), options);
    for (Readout& readout : readouts_) {
      tried_.at(&readout).read(block, samples_);
      if (step == 0) time_free_step(readout, std::make_unique<FreeHierarchy>(hierarchy_), x);
    }
    controls_.rehearse({x, options, step, block, hierarchy_}, samples_,
                       [&](Readout& readout, const HierarchyBlock& shown,
                           const Controls::MakeFreeReader& free_reader) {
                         TriedReadout& tried =
                             tried_.try_emplace(&readout, TriedReadout(readout)).first->second;
                         tried.read(shown, samples_);
                         if (step == 0) time_free_step(readout, free_reader(), x);
                       });
  }

  /// Times steps of what goes on from here by itself, if the readout lets it do so.
  void time_free_step(Readout& readout, std::unique_ptr<FreeReader> reader, const Array& x) {
    if (!readout.config().free_run.is_there || reader == nullptr) return;
    const Array sample = x.slice(0, 0, 1);
    const double seconds = seconds_taken([&] {
      for (std::int64_t i = 0; i < kFreeSteps; ++i) reader->read(sample);
    });
    tried_.at(&readout).add_free_step(seconds / static_cast<double>(kFreeSteps));
  }

  const Experiment& experiment_;
  const ExperimentConfig& config_;
  HierarchyManager hierarchy_;
  SampleReader samples_;
  Controls controls_;
  std::int64_t block_steps_;
  double sample_seconds_ = 0.0;
  std::int64_t read_steps_ = 0;
  std::deque<Readout> readouts_;  // which stay where they are
  std::map<const Readout*, TriedReadout> tried_;
};

}  // namespace

double readout_seconds(const Experiment& experiment) {
  if (experiment.config.readouts.empty()) return 0.0;
  const MatmulPrecisionScope precision(experiment.config.precision);
  return Rehearsal(experiment).seconds();
}

}  // namespace gaia
