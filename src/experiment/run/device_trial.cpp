// SPDX-License-Identifier: MIT
#include "device_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "../../array/create.h"
#include "../../core/error.h"
#include "../../core/text.h"
#include "../../training/fit.h"
#include "../data/sample_reader.h"
#include "../readouts/carried_state.h"
#include "../readouts/control.h"
#include "../results/results_file.h"
#include "../setup/build.h"
#include "../setup/build_network.h"
#include "../setup/task_sequence.h"
#include "../setup/training_data.h"
#include "estimate.h"
#include "learning_steps.h"
#include "metrics.h"

namespace gaia {
namespace {

/// Seconds that are worth a trial.
constexpr double kEnough = 0.3;

/// Samples that a network takes at once when it is not trained.
constexpr std::int64_t kAnswered = 256;

/// Seconds until the current device has done `work`.
template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  synchronize();  // a GPU has only been given its work
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The series as the run reads it, but for its scale, which does not change the speed and would
/// take a pass over all of it.
DataConfig unscaled(DataConfig data) {
  data.normalize = Normalize::none;
  return data;
}

class HierarchyTrial {
 public:
  HierarchyTrial(const Experiment& experiment, HierarchyManager hierarchy)
      : experiment_(experiment),
        hierarchy_(std::move(hierarchy)),
        estimate_(estimate_sizes(experiment, hierarchy_)),
        trial_(experiment.trials.longest()),
        block_steps_(std::min(estimate_.block_steps, trial_.steps)) {}

  double memory_bytes() const { return estimate_.memory_bytes; }
  std::string name() const {
    return fmt::format("{}: a hierarchy over {} steps in blocks of {}",
                       experiment_.config.experiment, grouped(experiment_.all_steps()),
                       grouped(block_steps_));
  }

  TrialTime run() const {
    const MatmulPrecisionScope precision(experiment_.config.precision);
    const HierarchyConfig& config = experiment_.config.hierarchy();
    const std::int64_t all = experiment_.all_steps();
    const std::int64_t learning = LearningSteps(experiment_).count();
    const ControlSetup setup = control_setup(experiment_, hierarchy_);
    const std::int64_t again = steps_read_again(setup);
    TrialTime time;
    for (const bool learns : {true, false}) {
      const std::int64_t steps = learns ? learning : all - learning + again;
      if (steps == 0) continue;
      const Block block = fastest_block(learns);
      time.parts.push_back({fmt::format("a block of {} steps{}", grouped(block.steps),
                                        config.learn && !learns ? " that does not learn" : ""),
                            block.seconds});
      time.seconds += block.seconds / static_cast<double>(block.steps) * static_cast<double>(steps);
    }
    for (const ControlPlan& plan : plan_controls(setup)) {
      if (!plan.is_run()) continue;
      const ControlTime block = fastest_control_block(plan.name, setup);
      time.parts.push_back(
          {fmt::format("a block of {} steps of the control {}", grouped(block_steps_), plan.name),
           block.seconds});
      // Controls read the last epoch, of which some see a part before, and a few read all; what
      // names neurons reads a part again.
      const std::int64_t read = block.reads_every_epoch ? all : experiment_.steps;
      const double blocks = static_cast<double>(read + again) / static_cast<double>(block_steps_);
      time.seconds += block.seconds * blocks + block.seconds_before;
    }
    return time;
  }

 private:
  struct Block {
    std::int64_t steps = 0;
    double seconds = std::numeric_limits<double>::infinity();
  };

  /// Fastest of the longest blocks that the trial has come to; the first finds nothing prepared and
  /// does not count.
  Block fastest_block(bool learns) const {
    HierarchyManager twin = hierarchy_.clone();
    LevelMetrics metrics(twin);
    SampleReader samples(*experiment_.series, unscaled(experiment_.config.data), experiment_.trials,
                         experiment_.config.dtype, {}, false);
    Block longest;
    double spent = 0.0;
    std::int64_t length = std::min<std::int64_t>(16, block_steps_);
    int repeated = 0;
    for (bool is_first = true; repeated < 3 && spent < kEnough; is_first = false) {
      if (twin.step() == trial_.steps) twin.reset_state();  // as at the end of a trial
      const std::int64_t steps = std::min(length, trial_.steps - twin.step());
      const double seconds = seconds_of([&] { process(twin, metrics, samples, steps, learns); });
      if (!is_first || seconds < kEnough) length = std::min(2 * length, block_steps_);
      if (is_first) continue;
      spent += seconds;
      if (steps > longest.steps) longest = {steps, seconds};
      if (steps == longest.steps) longest.seconds = std::min(longest.seconds, seconds);
      if (steps == block_steps_) ++repeated;
    }
    return longest;
  }

  struct ControlTime {
    double seconds = std::numeric_limits<double>::infinity();
    double seconds_before = 0.0;  ///< Time for all that it sees before the run begins.
    bool reads_every_epoch = false;
  };

  ControlTime fastest_control_block(const std::string& name, const ControlSetup& setup) const {
    const auto control = make_control(name, setup);
    SampleReader samples(*experiment_.series, unscaled(experiment_.config.data), experiment_.trials,
                         experiment_.config.dtype, {}, false);
    const Array x = samples.read(trial_.first_step, block_steps_);
    const ProcessOptions options = {.learn = control->reads_every_epoch(),
                                    .signals = samples.signals(setup.hierarchy.signal_columns(),
                                                               trial_.first_step, block_steps_)};
    HierarchyManager twin = setup.hierarchy.clone();
    forget_carried_state(twin, setup.features, setup.config.dtype);
    const HierarchyBlock shown = twin.process_block(x.expand_dims(0), options);
    const RunBlock run{x, options, trial_.first_step, shown, twin};
    ControlTime fastest{.reads_every_epoch = control->reads_every_epoch()};
    if (const std::int64_t before = count_of(control->steps_before()); before > 0) {
      const double one = seconds_of([&] { control->see(x); });
      const double end = seconds_of([&] { control->end_seeing(); });
      fastest.seconds_before =
          one * static_cast<double>(before) / static_cast<double>(block_steps_) + end;
    }
    double spent = 0.0;
    for (int i = 0; i < 3 && spent < kEnough; ++i) {
      control->begin_trial();
      const double seconds = seconds_of([&] { control->process(run); });
      fastest.seconds = std::min(fastest.seconds, seconds);
      spent += seconds;
    }
    return fastest;
  }

  void process(HierarchyManager& twin, LevelMetrics& metrics, SampleReader& samples,
               std::int64_t steps, bool learns) const {
    const Array x = samples.read(trial_.first_step + twin.step(), steps);
    const HierarchyBlock block = twin.process_block(
        x.expand_dims(0), {.learn = learns,
                           .check_finite = false,
                           .undo_failures = false,
                           .signals = samples.signals(twin.signal_columns(),
                                                      trial_.first_step + twin.step(), steps)});
    try {
      twin.check_finite();
    } catch (const DivergedError&) {
      // Which is for the run to tell, on data of its scale.
    }
    metrics.update(block, twin);
    rows_of(block, x, trial_.first_step + block.first_step, {}, experiment_.config.output);
  }

  const Experiment& experiment_;
  HierarchyManager hierarchy_;
  Estimate estimate_;
  Trial trial_;  // trial of the series that is read
  std::int64_t block_steps_;
};

class NetworkTrial {
 public:
  NetworkTrial(const Experiment& experiment, bool trains)
      : experiment_(experiment), config_(*experiment.config.network()), trains_(trains) {}

  double memory_bytes() const {
    const GPUContext scope(Device::cpu());
    return network_memory(experiment_);
  }
  std::string name() const {
    return trains_
               ? fmt::format("{}: a network, {} epochs of {} samples in batches of {}",
                             experiment_.config.experiment, grouped(all_epochs(experiment_.config)),
                             grouped(samples()), grouped(config_.batch_size))
               : fmt::format("{}: a network that answers {} samples", experiment_.config.experiment,
                             grouped(samples()));
  }

  TrialTime run() const {
    const MatmulPrecisionScope precision(experiment_.config.precision);
    const BuiltNetwork network =
        build_network(experiment_.config, sample_shape(experiment_), answer_size(experiment_));
    return trains_ ? train(*network.net) : answer(*network.net);
  }

 private:
  static constexpr std::int64_t kMostBatches = 32;

  std::int64_t samples() const {
    if (trains_) return sample_counts(experiment_).train;
    return experiment_.images ? experiment_.images->test_images.shape(0) : experiment_.steps;
  }

  /// The first samples and targets, on the current device.
  Batch first_samples(std::int64_t count) const {
    const DType dtype = experiment_.config.dtype;
    if (experiment_.images) {
      const io::LabelledImages& images = *experiment_.images;
      const Array& x = trains_ ? images.train_images : images.test_images;
      const Array& y = trains_ ? images.train_labels : images.test_labels;
      return {with_colours(x.slice(0, 0, count).astype(dtype)).to(current_device()),
              y.slice(0, 0, count).to(current_device())};
    }
    SampleReader reader(*experiment_.series, unscaled(experiment_.config.data), experiment_.trials,
                        dtype, {}, false);
    const Array x = read_series_samples(experiment_, reader,
                                        {.targets = false, .without_target = true, .most = count})
                        .x;
    // What the targets are makes no difference to the speed.
    return {x.to(current_device()), zeros({count, 1}, dtype)};
  }

  TrialTime train(NeuralNetwork& net) const {
    const std::int64_t all = batches_of(experiment_);
    const std::int64_t most = std::min(all, kMostBatches);
    const Batch data = first_samples(std::min(samples(), most * config_.batch_size));
    const DataLoader loader(data.x, data.y, {.batch_size = config_.batch_size, .shuffle = true});
    Optimiser optimiser(net.parameters(), config_.optimizer);
    const Loss loss = loss_from_name(config_.loss);
    std::int64_t batches = 1;
    // It ends before the epoch does, whose loss on these data would say nothing.
    const FitOptions options{
        .epochs = 1,
        .clip_norm = config_.clip_norm,
        .parallel = {.members = config_.members},
        .on_batch = [&](const BatchReport& report) { return report.batch + 1 < batches; }};
    const auto fit_some = [&] { fit(net, loader, loss, optimiser, options); };
    seconds_of(fit_some);  // finds nothing prepared
    double spent = 0.0;
    double seconds = 0.0;
    for (;; batches = std::min(2 * batches, most)) {
      const double some = seconds_of(fit_some);
      seconds = some / static_cast<double>(batches);
      spent += some;
      if (spent >= kEnough || batches == most) break;
    }
    return {.parts = {{fmt::format("a batch (of {})", batches), seconds}},
            .seconds = seconds * static_cast<double>(all * all_epochs(experiment_.config))};
  }

  TrialTime answer(NeuralNetwork& net) const {
    const std::int64_t count = std::min(samples(), kAnswered);
    const Array x = first_samples(count).x;
    const auto predict_some = [&] { predict(net, x, count); };
    seconds_of(predict_some);  // finds nothing prepared
    double spent = 0.0;
    double seconds = std::numeric_limits<double>::infinity();
    for (int calls = 0; calls < 20 && spent < kEnough; ++calls) {
      const double one = seconds_of(predict_some);
      seconds = std::min(seconds, one);
      spent += one;
    }
    return {.parts = {{fmt::format("a batch of {} samples", count), seconds}},
            .seconds = seconds / static_cast<double>(count) * static_cast<double>(samples())};
  }

  const Experiment& experiment_;
  const NetworkConfig& config_;
  bool trains_;
};

template <class Kind>
DeviceTrial as_trial(std::shared_ptr<const Kind> kind) {
  return {.name = kind->name(), .memory_bytes = kind->memory_bytes(), .run = [kind] {
            return kind->run();
          }};
}

}  // namespace

DeviceTrial trial_of(const Experiment& experiment, HierarchyManager hierarchy) {
  return as_trial(std::make_shared<const HierarchyTrial>(experiment, std::move(hierarchy)));
}

DeviceTrial trial_of_hierarchy(const Experiment& experiment) {
  const GPUContext scope(Device::cpu());
  return trial_of(experiment, build_hierarchy(experiment.config, experiment.features()));
}

DeviceTrial trial_of_training(const Experiment& experiment) {
  return as_trial(std::make_shared<const NetworkTrial>(experiment, true));
}

DeviceTrial trial_of(const Experiment& experiment) {
  return experiment.config.kind->trial(experiment);
}

DeviceTrial trial_of_answers(const Experiment& experiment) {
  return as_trial(std::make_shared<const NetworkTrial>(experiment, false));
}

}  // namespace gaia
