// SPDX-License-Identifier: MIT
#include "train.h"

#include <chrono>
#include <cmath>

#include "../array/ops.h"
#include "../array/reductions.h"
#include "../core/error.h"
#include "../core/log.h"
#include "../core/parallel.h"
#include "../io/output_files.h"
#include "config_writer.h"
#include "placement.h"

namespace gaia {
namespace {

class TrainingRun {
 public:
  TrainingRun(Experiment& experiment, const TrainingOptions& options)
      : config_(experiment.config),
        network_config_(*experiment.config.network),
        options_(options),
        lock_(claim_output(config_.output.path, options.overwrite)),
        scope_(device_of_run(experiment)),
        precision_(config_.precision),
        network_(build_network(config_, sample_shape(experiment), answer_size(experiment))),
        data_(read_training_data(experiment)),
        test_(data_.test_x, data_.test_y, {.batch_size = kTestBatch}),
        file_(experiment,
              facts_of_run(experiment, nullptr, options.command_line, to_string(scope_.device()),
                           network_config_.epochs),
              network_, data_) {}

  TrainingSummary run() {
    try {
      train();
      const RunStatus status =
          epochs_done_ == network_config_.epochs ? RunStatus::complete : RunStatus::interrupted;
      const TestScore score = test();
      const std::string written = file_.finish(status, epochs_done_, seconds(), score);
      return {.status = status,
              .file = written,
              .epochs_done = epochs_done_,
              .epochs = network_config_.epochs,
              .seconds = seconds(),
              .train_samples = data_.train_y.shape(0),
              .test_samples = data_.test_y.shape(0),
              .is_classifier = data_.classes > 0,
              .score = score};
    } catch (const OutputError&) {
      file_.abandon();
      throw;
    } catch (...) {
      end_after_failure();
      throw;
    }
  }

 private:
  static constexpr std::int64_t kTestBatch = 256;

  void train() {
    const auto seed = static_cast<std::uint64_t>(config_.seed);
    const DataLoader train(
        data_.train_x, data_.train_y,
        {.batch_size = network_config_.batch_size, .shuffle = true, .seed = seed});
    Optimiser optimiser(network_.net->parameters(), network_config_.optimizer);
    FitOptions fit_options{.epochs = network_config_.epochs,
                           .validation = &test_,
                           .clip_norm = network_config_.clip_norm};
    if (network_config_.final_rate < 1.0) {
      fit_options.batch_schedule =
          cosine_schedule(network_config_.epochs * train.batches(), network_config_.final_rate);
    }
    fit_options.on_batch = [&](const BatchReport& batch) {
      if (options_.on_progress) {
        options_.on_progress(
            {.epochs = network_config_.epochs, .epoch = epochs_done_, .batch = &batch});
      }
      return !must_stop();
    };
    fit_options.on_epoch = [&](const EpochReport& report) {
      ++epochs_done_;
      file_.append(report);
      if (options_.on_progress) {
        options_.on_progress(
            {.epochs = network_config_.epochs, .epoch = report.epoch, .report = &report});
      }
      return !must_stop();
    };
    fit(*network_.net, train, loss_from_name(network_config_.loss), optimiser, fit_options);
  }

  TestScore test() {
    TestScore score;
    score.loss = evaluate(*network_.net, test_, loss_from_name(network_config_.loss)).loss;
    const Array answers = predict(*network_.net, data_.test_x, kTestBatch);
    if (data_.classes > 0) {
      score.accuracy = accuracy(answers, data_.test_y);
      file_.write_test(argmax(answers, 1));
      return score;
    }
    file_.write_test(answers.reshape({-1}));
    const std::vector<double> target = data_.test_y.to_vector<double>();
    const auto score_of = [&](const std::vector<double>& predicted, double& nrmse, double& r2) {
      double mean = 0.0;
      for (const double y : target) mean += y / static_cast<double>(target.size());
      double error = 0.0;
      double variance = 0.0;
      for (std::size_t i = 0; i < target.size(); ++i) {
        error += (predicted[i] - target[i]) * (predicted[i] - target[i]);
        variance += (target[i] - mean) * (target[i] - mean);
      }
      nrmse = std::sqrt(error / variance);
      r2 = 1.0 - error / variance;
    };
    score_of(answers.to_vector<double>(), score.nrmse, score.r2);
    score_of(data_.baseline, score.baseline_nrmse, score.baseline_r2);
    return score;
  }

  bool must_stop() const {
    const bool asked = options_.stop != nullptr && options_.stop->load();
    return asked || (options_.max_seconds && seconds() >= *options_.max_seconds);
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  /// Marks the file as failed; what was committed stays.  The first error is the one that is told.
  void end_after_failure() {
    if (!file_.is_open()) return;
    try {
      file_.finish(RunStatus::failed, epochs_done_, seconds(), {});
    } catch (const std::exception& error) {
      log_debug(std::string("the results file could not be marked as failed: ") + error.what());
    }
  }

  const ExperimentConfig& config_;
  const NetworkConfig& network_config_;
  const TrainingOptions& options_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unique_ptr<OutputLock> lock_;
  GPUContext scope_;
  MatmulPrecisionScope precision_;
  BuiltNetwork network_;
  TrainingData data_;
  DataLoader test_;
  TrainingFile file_;
  std::int64_t epochs_done_ = 0;
};

}  // namespace

TrainingSummary train_experiment(Experiment& experiment, const TrainingOptions& options) {
  return TrainingRun(experiment, options).run();
}

}  // namespace gaia
