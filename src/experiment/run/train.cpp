// SPDX-License-Identifier: MIT
#include "train.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "../../array/ops.h"
#include "../../array/reductions.h"
#include "../../core/error.h"
#include "../../core/log.h"
#include "../../core/parallel.h"
#include "../../core/text.h"
#include "../../io/output_files.h"
#include "../../training/consolidation.h"
#include "../../training/device_communicator.h"
#include "../config/config_writer.h"
#include "../setup/filled_values.h"
#include "../setup/one_seed.h"
#include "../setup/task_sequence.h"
#include "failed_run.h"
#include "placement.h"
#include "progress.h"

namespace gaia {
namespace {

/// The device of the run; where several processes of a machine train together on GPUs, and the
/// experiment does not name one, each takes its own.
Device device_of_process(const Experiment& experiment, Communicator* communicator) {
  Device device = device_of_run(experiment);
  const bool is_named = experiment.config.device.find(':') != std::string::npos;
  if (communicator == nullptr || communicator->size() == 1) return device;
  // Each has tried for itself, and together they compute on devices of one kind.
  if (is_auto_device(experiment) && communicator->any(device.is_cpu()) && !device.is_cpu()) {
    device = Device::cpu();
    log_info("device auto: cpu, since another process of this training takes it");
  }
  if (device.is_cpu() || is_named) return device;
  // Its own, and none that it does not use: a process makes a context on every GPU that it looks
  // at.
  const int gpus = cuda_device_count();
  for (int turn = 0; turn < gpus; ++turn) {
    const Device mine = Device::cuda((process_on_machine() + turn) % gpus);
    if (is_available(mine)) return mine;
  }
  return device;  // which says why not
}

/// "epoch   2/5  " and what follows.
std::string epoch_text(std::int64_t epoch, std::int64_t epochs, const std::string& rest) {
  return fmt::format("epoch {:>3}/{}  {}", epoch + 1, epochs, rest);
}

class TrainingRun {
 public:
  TrainingRun(Experiment& experiment, const RunOptions& options)
      : config_(experiment.config),
        network_config_(*experiment.config.network()),
        options_(options),
        cut_(options.cut),
        is_writer_(options.communicator == nullptr || options.communicator->rank() == 0),
        lock_(claim()),
        scope_(device_of_process(experiment, options.communicator)),
        precision_(config_.precision),
        on_devices_(over_devices(options.communicator, scope_.device())),
        network_(build_network(config_, sample_shape(experiment), answer_size(experiment))),
        data_(read_training_data(experiment)),
        looks_ahead_(filled_values(experiment).looks_ahead()),
        tasks_(experiment),
        epochs_(all_epochs(config_)),
        train_(data_.train_x, data_.train_y,
               {.batch_size = network_config_.batch_size,
                .shuffle = true,
                .seed = static_cast<std::uint64_t>(config_.seed)}),
        test_(data_.test_x, data_.test_y, {.batch_size = kTestBatch}),
        loss_(training_loss(network_config_, data_)),
        optimiser_(network_.net->parameters(), network_config_.optimizer),
        facts_(facts_of_run(experiment, cut_ == nullptr ? nullptr : &cut_->facts,
                            options.command_line, to_string(scope_.device()), epochs_)),
        checkpoints_(config_.output.path, facts_.run_id, config_.checkpoint, options.checkpoint,
                     cut_ == nullptr ? 0 : 1 - cut_->found.number) {
    if (tasks_.is_sequence()) {
      accuracies_.assign(static_cast<std::size_t>(tasks_.count() * tasks_.count()),
                         std::numeric_limits<double>::quiet_NaN());
    }
    if (data_.validation) show_validation(0);
    if (network_config_.early_stop) stopper_.emplace(*network_config_.early_stop);
    if (network_config_.consolidate) {
      consolidation_.emplace(network_.net->parameters(), *network_config_.consolidate);
    }
    if (cut_ != nullptr) go_on_from(cut_->found.checkpoint);
    if (!is_writer_) return;
    file_.emplace(experiment, facts_, network_, data_,
                  Recorded{cut_ == nullptr ? nullptr : &cut_->partial, epochs_done_}, &tasks_);
  }

  TrainingSummary run() {
    try {
      train();
      const RunStatus status = epochs_done_ == epochs_ || has_stopped_early_
                                   ? RunStatus::complete
                                   : RunStatus::interrupted;
      TestScore score;
      Validated validated;
      if (stopper_) validated.best_epoch = stopper_->best_epoch();
      validated.stopped_early = has_stopped_early_ && epochs_done_ < epochs_;
      std::string written;
      if (is_writer_) {
        score = test();
        if (data_.validation) validated.score = validate();
        written =
            file_->finish(status, epochs_done_, seconds_before_ + seconds(), score, validated);
        if (status == RunStatus::complete) remove_leftovers(config_.output.path);
      }
      TrainingSummary summary;
      summary.status = status;
      summary.file = written;
      summary.steps_done = epochs_done_;
      summary.steps = epochs_;
      summary.seconds = seconds_before_ + seconds();
      summary.train_samples = data_.train_y.shape(0);
      summary.test_samples = data_.test_y.shape(0);
      summary.is_classifier = data_.classes > 0;
      summary.looks_ahead = looks_ahead_;
      summary.tasks = tasks_.is_sequence() ? tasks_.count() : 0;
      if (tasks_.is_sequence()) summary.task_scores = task_scores(accuracies_, tasks_.count());
      summary.score = score;
      summary.validation_samples = data_.validation ? data_.validation->y.shape(0) : 0;
      summary.validation = validated.score;
      summary.stopped_early = validated.stopped_early;
      summary.best_epoch = validated.best_epoch;
      return summary;
    } catch (const std::exception&) {
      if (!file_) throw;
      end_failed_run(
          config_.output.path, [&] { file_->abandon(); },
          [&] {
            if (!file_->is_open()) return;
            file_->finish(RunStatus::failed, epochs_done_, seconds_before_ + seconds(), {});
          });
    }
  }

 private:
  static constexpr std::int64_t kTestBatch = 256;

  void train() {
    const std::int64_t of_task = network_config_.epochs;
    for (std::int64_t task = epochs_done_ / of_task; task < tasks_.count(); ++task) {
      if (task > 0) {
        train_ = DataLoader(tasks_.shown(data_.train_x, task), data_.train_y,
                            {.batch_size = network_config_.batch_size,
                             .shuffle = true,
                             .seed = static_cast<std::uint64_t>(config_.seed)});
        test_ =
            DataLoader(tasks_.shown(data_.test_x, task), data_.test_y, {.batch_size = kTestBatch});
        if (data_.validation) show_validation(task);
      }
      train_until((task + 1) * of_task);
      if (epochs_done_ < (task + 1) * of_task || stops_) return;
      so_far_ = {};
    }
  }

  /// Trains on the samples of train_ until so many epochs are done, or one is to stop.
  void train_until(std::int64_t epochs) {
    FitOptions fit_options{
        .epochs = epochs,
        .first_epoch = epochs_done_,
        .so_far = so_far_,
        .validation = validation_ ? &*validation_ : &test_,
        .clip_norm = network_config_.clip_norm,
        .early_stopper = stopper_ ? &*stopper_ : nullptr,
        .parallel = {.members = network_config_.members,
                     .communicator = on_devices_ ? on_devices_.get() : options_.communicator},
        .consolidation = consolidation_ ? &*consolidation_ : nullptr};
    if (network_config_.final_rate < 1.0) {
      // It falls within each task.
      const std::int64_t batches = network_config_.epochs * train_.batches();
      const Schedule fall = cosine_schedule(batches, network_config_.final_rate);
      const std::int64_t first = (epochs - network_config_.epochs) * train_.batches();
      fit_options.batch_schedule = [fall, first](std::int64_t t) { return fall(t - first); };
    }
    const std::int64_t every = config_.checkpoint.every;
    fit_options.on_batch = [&](const BatchReport& batch) {
      const bool stops = must_stop();
      const std::int64_t step = epochs_done_ * train_.batches() + batch.batch + 1;
      const bool is_due = (every > 0 && step % every == 0) || checkpoints_.is_due();
      const bool ends_epoch = batch.batch + 1 == train_.batches();
      // What is due at the end of an epoch is stored behind it: of two states after one step a
      // resume could not tell the later.
      is_due_at_epoch_ = is_due && ends_epoch && !stops;
      if (ends_epoch) diagnostics_ = measure_diagnostics(network_);
      if (is_writer_ && (is_due || stops) && !is_due_at_epoch_) store(batch.so_far());
      if (options_.on_progress) {
        options_.on_progress(batch_progress(epochs_, epochs_done_, batch));
      }
      return !stops;
    };
    fit_options.on_epoch = [&](const EpochReport& report) {
      ++epochs_done_;
      if (epochs_done_ == epochs) end_task();
      // Among several processes the one that writes reports what the test samples show.
      Evaluation tested{.loss = report.validation_loss, .accuracy = report.validation_accuracy};
      if (validation_ && is_writer_) tested = evaluate(*network_.net, test_, loss_);
      if (file_) file_->append(report, tested, diagnostics_);
      diagnostics_.clear();
      const bool stops = must_stop();
      stops_ = stops;
      const bool is_due = stops || is_due_at_epoch_ || checkpoints_.is_due();
      if (is_writer_ && is_due && epochs_done_ < epochs_) store({});
      is_due_at_epoch_ = false;
      if (options_.on_progress) {
        options_.on_progress(
            epoch_progress(epochs_, report, validation_ && is_writer_ ? &tested : nullptr));
      }
      return !stops;
    };
    has_stopped_early_ = fit(*network_.net, train_, loss_, optimiser_, fit_options).stopped_early;
  }

  /// What the network is validated by while it is trained on a task.
  void show_validation(std::int64_t task) {
    validation_.emplace(tasks_.shown(data_.validation->x, task), data_.validation->y,
                        LoaderOptions{.batch_size = kTestBatch});
  }

  /// Scores the network in the tasks so far, and notes what it is to keep of the one that ended.
  void end_task() {
    if (!tasks_.is_sequence()) return;
    const std::int64_t task = epochs_done_ / network_config_.epochs - 1;
    if (consolidation_) {
      consolidation_->end_task(*network_.net, train_.x(), train_.y(), loss_);
    }
    for (std::int64_t tested = 0; tested <= task; ++tested) {
      const Array answers = predict(*network_.net, tasks_.shown(data_.test_x, tested), kTestBatch);
      accuracies_[static_cast<std::size_t>(task * tasks_.count() + tested)] =
          accuracy(answers, data_.test_y);
    }
    if (file_) {
      file_->write_task(task, accuracies_, consolidation_ ? &*consolidation_ : nullptr);
    }
  }

  /// \throws DivergedError for a state that would take the place of one that is still good.
  void check_worth_storing(const EpochSoFar& so_far) const {
    if (std::isfinite(so_far.loss) && has_finite_parameters(*network_.net)) return;
    throw DivergedError("[train] the loss or the weights of epoch " + std::to_string(epochs_done_) +
                            " are NaN or infinite; a smaller learning_rate or clip_norm may help",
                        -1, -1, epochs_done_);
  }

  /// Stores the state after `so_far` of the epoch that comes after those done.
  void store(const EpochSoFar& so_far) {
    check_worth_storing(so_far);
    ArrayMap arrays;
    for (const auto& [name, value] : network_.net->state()) arrays["network/" + name] = value;
    for (const auto& [name, value] : optimiser_.state()) arrays["optimiser/" + name] = value;
    for (const auto& [name, count] : network_.net->counts()) {
      put_numbers(arrays, "counts/" + name, {static_cast<double>(count)});
    }
    put_numbers(arrays, "epoch",
                {static_cast<double>(epochs_done_), static_cast<double>(so_far.batches),
                 static_cast<double>(so_far.samples), so_far.loss, static_cast<double>(so_far.hits),
                 static_cast<double>(so_far.counted)});
    put_diagnostics(arrays, diagnostics_);
    if (!accuracies_.empty()) put_numbers(arrays, "tasks/accuracy", accuracies_);
    if (consolidation_) {
      for (const auto& [name, value] : consolidation_->state()) {
        arrays["consolidation/" + name] = value;
      }
    }
    if (stopper_) {
      for (const auto& [name, value] : stopper_->state()) arrays["early_stop/" + name] = value;
    }
    put_numbers(arrays, "run/seconds", {seconds_before_ + seconds()});
    file_->sync();
    checkpoints_.write(epochs_done_ * train_.batches() + so_far.batches, std::move(arrays));
  }

  /// Takes over the state of a training that was cut.
  void go_on_from(const Checkpoint& checkpoint) {
    const auto below = [&](const char* prefix) { return arrays_below(checkpoint.arrays, prefix); };
    try {
      network_.net->set_state(below("network/"));
      // The first rate is the experiment's; what an earlier build stored is that of its moment.
      const double first_rate = optimiser_.learning_rate();
      optimiser_.set_state(below("optimiser/"));
      optimiser_.set_learning_rate(first_rate);
      std::map<std::string, std::int64_t> counts;
      for (const auto& [name, value] : below("counts/")) {
        counts[name] = static_cast<std::int64_t>(value.item());
      }
      network_.net->set_counts(counts);
      const std::vector<double> epoch = numbers_of(checkpoint.arrays, "epoch", 6);
      epochs_done_ = static_cast<std::int64_t>(epoch[0]);
      so_far_ = {.batches = static_cast<std::int64_t>(epoch[1]),
                 .samples = static_cast<std::int64_t>(epoch[2]),
                 .loss = epoch[3],
                 .hits = static_cast<std::int64_t>(epoch[4]),
                 .counted = static_cast<std::int64_t>(epoch[5])};
      diagnostics_ = take_diagnostics(checkpoint.arrays, network_);
      if (!accuracies_.empty()) {
        accuracies_ = numbers_of(checkpoint.arrays, "tasks/accuracy", accuracies_.size());
      }
      if (consolidation_) consolidation_->set_state(below("consolidation/"));
      if (stopper_) stopper_->set_state(below("early_stop/"));
      seconds_before_ = numbers_of(checkpoint.arrays, "run/seconds", 1).front();
    } catch (const Error& error) {
      throw OutputError(config_.output.path +
                        ": its checkpoint is not of this experiment: " + error.what());
    }
  }

  TestScore test() {
    return score(test_, data_.baseline, [&](const Array& answers) { file_->write_test(answers); });
  }

  TestScore validate() {
    return score(*validation_, data_.validation->baseline,
                 [&](const Array& answers) { file_->write_validation(answers); });
  }

  /// Scores the network on samples, and shows `write` its answers: classes [n], or numbers [n].
  TestScore score(const DataLoader& samples, const SeriesBaseline& baseline,
                  const std::function<void(const Array&)>& write) {
    TestScore score;
    score.loss = evaluate(*network_.net, samples, loss_).loss;
    const Array answers = predict(*network_.net, samples.x(), kTestBatch);
    if (data_.classes > 0) {
      score_classes(score, accuracy(answers, samples.y()), samples.y().to_vector<std::int64_t>(),
                    data_.train_y.to_vector<std::int64_t>());
      write(argmax(answers, 1));
      return score;
    }
    write(answers.reshape({-1}));
    score_series(score, answers.to_vector<double>(), baseline, samples.y().to_vector<double>());
    return score;
  }

  /// Whether this process, or any of several, is to stop.
  bool must_stop() const {
    const bool asked = options_.must_stop(seconds());
    return options_.communicator == nullptr ? asked : options_.communicator->any(asked);
  }

  /// The output, for the process that writes.
  std::unique_ptr<OutputLock> claim() {
    if (!is_writer_) return nullptr;
    return cut_ != nullptr ? std::move(cut_->lock)
                           : claim_output(config_.output.path, options_.overwrite);
  }

  /// Since this program began with it.
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  const ExperimentConfig& config_;
  const NetworkConfig& network_config_;
  const RunOptions& options_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  CutRun* cut_;     // null: this one does not go on with another
  bool is_writer_;  // whether this one of several processes writes the results
  std::unique_ptr<OutputLock> lock_;
  GPUContext scope_;
  MatmulPrecisionScope precision_;
  std::unique_ptr<Communicator> on_devices_;  // exchanges without the host, where that is possible
  BuiltNetwork network_;
  TrainingData data_;
  bool looks_ahead_;
  TaskSequence tasks_;
  std::int64_t epochs_;                   // epochs of all tasks
  DataLoader train_;                      // samples of the task that is trained
  DataLoader test_;                       // test samples of the same
  std::optional<DataLoader> validation_;  // samples that are kept to validate by, if any are
  Loss loss_;
  Optimiser optimiser_;
  RunFacts facts_;
  Checkpoints checkpoints_;
  std::optional<TrainingFile> file_;
  std::vector<double> accuracies_;  // [trained, tested] of a sequence of tasks
  std::optional<Consolidation> consolidation_;
  std::optional<EarlyStopper> stopper_;
  bool has_stopped_early_ = false;
  bool stops_ = false;  // asked for at the end of an epoch
  std::int64_t epochs_done_ = 0;
  bool is_due_at_epoch_ = false;  // a checkpoint, since the last batch
  /// Diagnostics of an epoch that ended, until it is recorded.
  std::vector<LayerDiagnostics> diagnostics_;
  EpochSoFar so_far_;  // state of the epoch in which a training that was cut goes on
  double seconds_before_ = 0.0;
};

}  // namespace

Progress batch_progress(std::int64_t epochs, std::int64_t epoch, const BatchReport& batch) {
  const std::int64_t done = batch.batch + 1;
  const double part = static_cast<double>(batch.batch) / static_cast<double>(batch.batches);
  return {.steps_done = done,
          .steps = batch.batches,
          .share = (static_cast<double>(epoch) + part) / static_cast<double>(epochs),
          .has_parts = true,
          .text = [=, &batch] {
            const double share = static_cast<double>(done) / static_cast<double>(batch.batches);
            const double rate =
                batch.seconds > 0.0 ? static_cast<double>(batch.samples) / batch.seconds : 0.0;
            return epoch_text(
                epoch, epochs,
                fmt::format("{:3.0f} %  {}/{} batches  loss {:.4f}  {} samples/s  ETA {}",
                            100.0 * share, grouped(done), grouped(batch.batches), batch.loss(),
                            rate_text(rate), duration_text(batch.seconds * (1.0 / share - 1.0))));
          }};
}

Progress epoch_progress(std::int64_t epochs, const EpochReport& report, const Evaluation* test) {
  return {.steps_done = report.epoch + 1,
          .steps = epochs,
          .share = static_cast<double>(report.epoch + 1) / static_cast<double>(epochs),
          .has_parts = true,
          .ends_part = true,
          .text = [=, &report] {
            const auto shown = [](const char* part, double loss, double accuracy) {
              return fmt::format("  {} loss {:.4f}", part, loss) +
                     (std::isnan(accuracy) ? std::string()
                                           : fmt::format("  {} accuracy {:.4f}", part, accuracy));
            };
            std::string text = fmt::format("loss {:.4f}", report.loss);
            if (!std::isnan(report.accuracy)) {
              text += fmt::format("  accuracy {:.4f}", report.accuracy);
            }
            text += shown(test == nullptr ? "test" : "validation", report.validation_loss,
                          report.validation_accuracy);
            if (test != nullptr) text += shown("test", test->loss, test->accuracy);
            text += fmt::format("  {} samples/s", rate_text(report.samples_per_second));
            return epoch_text(report.epoch, epochs, text);
          }};
}

Loss training_loss(const NetworkConfig& network, const TrainingData& data) {
  if (data.class_weights.empty()) return loss_from_name(network.loss);
  return weighted_cross_entropy(data.class_weights);
}

TrainingSummary train_network(Experiment& experiment, const RunOptions& options) {
  TrainingSummary summary = TrainingRun(experiment, options).run();
  summary.one_seed = one_seed_text(experiment);
  return summary;
}

}  // namespace gaia
