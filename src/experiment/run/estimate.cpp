// SPDX-License-Identifier: MIT
#include "estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../../array/device.h"
#include "../../layers/hierarchy/plastic_conv.h"
#include "../../layers/hierarchy/predictive.h"
#include "../../layers/hierarchy/temporal.h"
#include "../data/block_steps.h"
#include "../readouts/control.h"
#include "../readouts/readout.h"
#include "../setup/build.h"
#include "../setup/build_network.h"
#include "../setup/training_data.h"
#include "device_trial.h"
#include "placement.h"
#include "readout_trial.h"

namespace gaia {
namespace {

// What an empty file and a group with its datasets, names and coordinates take, measured.
constexpr double kFileBytes = 24e3;
constexpr double kGroupBytes = 10e3;
// What laying out and ending a file takes, and writing into it, in seconds, measured.
constexpr double kFileSeconds = 15e-3;
constexpr double kByteSeconds = 5e-9;

/// Estimates of the layers that have a rule, whether or not they learn in this run.
std::vector<RuleEstimate> rules_of(const HierarchyManager& hierarchy) {
  std::vector<RuleEstimate> rules;
  for (std::size_t n = 0; n < hierarchy.levels().size(); ++n) {
    const HierarchicalLevel& level = hierarchy.levels()[n];
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      const HebbianLayer* const plastic = hebbian_of(level.layer(m));
      const auto attributes = level.layer(m).attributes();
      const auto read = [&](const std::string& name) {
        for (const auto& [known, value] : attributes) {
          if (known == name) return value;
        }
        return std::string();
      };
      if (const auto* const temporal = dynamic_cast<const TemporalLayer*>(&level.layer(m))) {
        for (const auto& [name, connection] :
             {std::pair{"input", temporal->input_connection()},
              std::pair{"recurrent", temporal->recurrent_connection()}}) {
          if (connection == nullptr) continue;
          const std::string prefix = std::string(name) + "_";
          rules.push_back({fmt::format("hierarchy.levels[{}].layers[{}].{}", n, m, name),
                           connection->rule().name(),
                           {read(prefix + "rule_class"), read(prefix + "rule_class_why"),
                            read("executor"), read("executor_why")}});
        }
      }
      if (const auto* const stack = dynamic_cast<const PredictiveLayer*>(&level.layer(m))) {
        rules.push_back({fmt::format("hierarchy.levels[{}].layers[{}]", n, m), stack->type(),
                         RuleExecution::from(read)});
      }
      if (plastic == nullptr) continue;
      rules.push_back({fmt::format("hierarchy.levels[{}].layers[{}]", n, m),
                       rule_name(plastic->plasticity().rule), RuleExecution::from(read),
                       plastic->lateral().has_value(), plastic->rule_site(Device::cpu())});
    }
  }
  return rules;
}

}  // namespace

Estimate estimate_sizes(const Experiment& experiment, const HierarchyManager& hierarchy) {
  const ExperimentConfig& config = experiment.config;
  const auto number = static_cast<double>(size_of(config.dtype));
  const auto steps = static_cast<double>(experiment.steps);

  Estimate estimate;
  estimate.operations = hierarchy.operations_per_step(config.hierarchy().learn) *
                        static_cast<double>(experiment.all_steps());
  estimate.rules = rules_of(hierarchy);
  estimate.filters = filters_of(hierarchy);
  estimate.talks = talks_of(hierarchy);
  estimate.block_steps =
      choose_block_steps(hierarchy, experiment.features(), experiment.trials.longest().steps,
                         config.hierarchy().learn);
  const auto block = static_cast<double>(std::min(estimate.block_steps, experiment.steps));
  double block_numbers = block * static_cast<double>(experiment.features());
  double weights = 0.0;
  for (const HierarchicalLevel& level : hierarchy.levels()) {
    LevelEstimate one{.temporal_resolution = level.temporal_resolution(),
                      .input_size = level.input_size(),
                      .output_size = level.output_size(),
                      .ticks = experiment.trials.ticks_within(
                          experiment.steps, level.temporal_resolution(), level.phase()),
                      .weights = 0};
    const auto resolution = static_cast<double>(level.temporal_resolution());
    block_numbers += block / resolution * static_cast<double>(level.input_size());
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      block_numbers += block / resolution * static_cast<double>(level.layer(m).output_size());
      for (const NamedArray& array : level.layer(m).arrays()) one.weights += array.value.size();
    }
    if (level.top_down() != nullptr) {
      for (const NamedArray& array : level.top_down()->arrays()) one.weights += array.value.size();
    }
    weights += static_cast<double>(one.weights);
    const Recording& recording = config.output.representations;
    if (recording.what != Recording::What::none) {
      const double rows = static_cast<double>(one.ticks) / static_cast<double>(recording.every);
      estimate.disk_bytes += rows * (static_cast<double>(one.output_size) * number + 8.0 +
                                     8.0 * static_cast<double>(tick_numbers(level)));
    }
    estimate.levels.push_back(one);
  }
  if (config.output.inputs) {
    estimate.disk_bytes += steps * static_cast<double>(experiment.features()) * number;
  }
  double copies = config.output.weights.what == Recording::What::none ? 0.0 : 2.0;
  if (config.output.weights.what == Recording::What::every) {
    copies += static_cast<double>(experiment.all_steps()) /
              static_cast<double>(config.output.weights.every);
  }
  copies += config.checkpoint.every > 0 ? 2.0 : 1.0;
  estimate.disk_bytes += copies * weights * number;
  const ControlSetup setup = control_setup(experiment, hierarchy);
  const std::vector<ControlPlan> plans = plan_controls(setup);
  double kept =
      0.0;  // numbers of free runs, and that wait for a consensus without a validation part
  for (std::size_t i = 0; i < config.readouts.size(); ++i) {
    const ReadoutConfig& readout = config.readouts[i];
    const auto controls = static_cast<double>(std::count_if(
        plans.begin(), plans.end(), [&](const ControlPlan& plan) { return plan.is_read(i); }));
    const ReadoutTicks ticks = setup.ticks(readout);
    const Stretches& scored = readout.folds > 0 ? ticks.of_folds() : ticks.test();
    estimate.disk_bytes += static_cast<double>(count_of(scored)) *
                               (24.0 + 8.0 * static_cast<double>(readout.fused.size())) +
                           (1.0 + controls) * kGroupBytes;
    if (readout.free_run.is_there) {
      // Predictions and targets, in memory and in the file, and once more while these are written.
      const double said = static_cast<double>(readout.free_run.steps) *
                          static_cast<double>(readout.free_run.starts.size()) *
                          static_cast<double>(readout.target.indices.size());
      estimate.disk_bytes += 8.0 * (2.0 + controls) * said + (1.0 + controls) * kGroupBytes;
      kept += 4.0 * (1.0 + controls) * said;
    }
    if (readout.heard == ReadoutConfig::Heard::trained) {
      auto features = static_cast<double>(readout.features.beside());
      for (const std::int64_t level : readout.levels) {
        features +=
            static_cast<double>(hierarchy.levels()[static_cast<std::size_t>(level)].output_size());
      }
      kept += (1.0 + controls) * features * static_cast<double>(count_of(ticks.training()));
    }
  }
  estimate.disk_bytes += kFileBytes + static_cast<double>(estimate.levels.size()) * kGroupBytes;
  double controls = 0.0;
  for (const ControlPlan& plan : plans) {
    if (plan.is_run()) controls += control_numbers(plan, setup, static_cast<std::int64_t>(block));
  }
  // Weights, the two copies that changes are measured against, one that is written; a block with
  // room to work in, and two that are written; the controls.
  estimate.memory_bytes = (4.0 * weights + 5.0 * block_numbers + controls) * number + 8.0 * kept;
  return estimate;
}

double network_memory(const Experiment& experiment) {
  const ExperimentConfig& config = experiment.config;
  const Shape sample = sample_shape(experiment);
  const BuiltNetwork network = build_network(config, sample, answer_size(experiment));
  double per_sample = 0.0;
  for (const BuiltNetwork::Passed& passed : network.shapes) {
    per_sample +=
        static_cast<double>(count_elements(passed.reads) + count_elements(passed.answers));
  }
  const SampleCounts counts = sample_counts(experiment);
  const auto samples = static_cast<double>(counts.train + counts.validation + counts.test);
  const double copies = config.network()->early_stop ? 5.0 : 4.0;
  const double numbers = copies * static_cast<double>(network.net->parameter_count()) +
                         3.0 * static_cast<double>(config.network()->batch_size) * per_sample +
                         2.0 * samples * static_cast<double>(count_elements(sample));
  return numbers * static_cast<double>(size_of(config.dtype));
}

Estimate estimate_run(const Experiment& experiment, bool trial) {
  HierarchyManager hierarchy;
  {
    const GPUContext on_host(Device::cpu());  // wherever the run computes, its sizes are the same
    hierarchy = build_hierarchy(experiment.config, experiment.features());
    hierarchy.connect();
  }
  Estimate estimate = estimate_sizes(experiment, hierarchy);
  const DeviceTrial first_blocks = trial_of(experiment, std::move(hierarchy));
  const DeviceChoice choice = choose_device(experiment, [&] { return first_blocks; });
  estimate.device = choice.text;
  if (!choice.device.is_cpu()) {
    // On a GPU the executor depends on the size of the layer (docs/gpu.md).
    for (RuleEstimate& rule : estimate.rules) {
      if (rule.is_on_host) rule.execution.tell_host();
      if (rule.is_on_host) continue;
      if (rule.rule == "equations") {
        if (rule.execution.executor == "chunkwise") {
          rule.site->device = choice.device;
          rule.execution = execution_of(*rule.site);
        }
        continue;
      }
      if (rule.rule == PredictiveOptions::name) continue;
      rule.execution.executor.clear();
      rule.execution.executor_why.clear();
    }
  }
  estimate.seconds = choice.seconds;
  if (trial && choice.seconds == 0.0) {
    const GPUContext scope(choice.device);
    estimate.seconds = first_blocks.run().seconds;
  }
  if (trial) {
    const GPUContext scope(choice.device);
    estimate.seconds +=
        readout_seconds(experiment) + kFileSeconds + kByteSeconds * estimate.disk_bytes;
  }
  return estimate;
}

}  // namespace gaia
