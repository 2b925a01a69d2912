// SPDX-License-Identifier: MIT
#include "placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "../../core/log.h"
#include "../../core/text.h"
#include "../../layers/hierarchy/hebbian.h"
#include "../../layers/hierarchy/temporal.h"
#include "../setup/build.h"
#include "../setup/network_work.h"
#include "estimate.h"

namespace gaia {
namespace {

bool is_auto(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "auto";
}

/// Of a level's layers.
struct LayerWork {
  const ExperimentConfig& config;
  std::vector<WorkPart>& parts;
  std::string name;
  std::int64_t inputs;
  std::int64_t size;
  double ticks;
  double steps;
  double blocks;
  bool learns;

  /// The layer's answers in matrix products, over a share of the ticks.
  void add_products(double share) const {
    const double rows = std::max(1.0, ticks / blocks);
    parts.push_back({name, Products{.m = static_cast<std::int64_t>(rows),
                                    .n = size,
                                    .k = inputs,
                                    .dtype = config.dtype,
                                    .calls = share * blocks}});
    // The bias and the activation.
    parts.push_back({name, Passes{.bytes = 2.0 * rows * static_cast<double>(size) *
                                           static_cast<double>(size_of(config.dtype)),
                                  .calls = 2.0 * share * blocks}});
  }

  void operator()(const HebbianOptions& layer) const {
    const HierarchyConfig& hierarchy = config.hierarchy;
    double learning = hierarchy.learn && learns ? 1.0 : 0.0;
    if (hierarchy.freeze_after) {
      learning *= std::min(1.0, static_cast<double>(*hierarchy.freeze_after) / steps);
    }
    const bool coupled = std::holds_alternative<CoupledRule>(layer.rule);
    const TickKind kind = coupled                                    ? TickKind::coupled
                          : hierarchy.executor == Executor::stepwise ? TickKind::stepwise
                                                                     : TickKind::chunkwise;
    if (learning > 0.0) {
      parts.push_back({name, Ticks{.kind = kind,
                                   .outputs = size,
                                   .inputs = inputs,
                                   .dtype = config.dtype,
                                   .ticks = learning * ticks,
                                   .calls = learning * blocks}});
    }
    if (learning < 1.0) add_products(1.0 - learning);
  }

  void operator()(const TemporalOptions&) const {
    add_products(1.0);
    parts.push_back({name, Ticks{.kind = TickKind::recurrent,
                                 .outputs = size,
                                 .inputs = size,
                                 .dtype = config.dtype,
                                 .ticks = ticks,
                                 .calls = blocks}});
  }
};

Work hierarchy_work(const Experiment& experiment) {
  const ExperimentConfig& config = experiment.config;
  Estimate estimate;
  {
    // Wherever the run computes: its sizes are the same.
    const GPUContext scope(Device::cpu());
    estimate = estimate_sizes(experiment, build_hierarchy(config, experiment.features()));
  }
  const auto number = static_cast<double>(size_of(config.dtype));
  const auto steps = static_cast<double>(experiment.all_steps());
  const auto epochs = static_cast<double>(config.hierarchy.epochs);
  const double blocks = std::max(1.0, steps / static_cast<double>(estimate.block_steps));
  const bool records = config.output.representations.what != Recording::What::none;
  Work work{.name = fmt::format("{}: a hierarchy over {} steps in blocks of {}", config.experiment,
                                grouped(experiment.all_steps()), grouped(estimate.block_steps)),
            .memory_bytes = estimate.memory_bytes};
  work.parts.push_back({"samples", HostTraffic{.up = static_cast<double>(experiment.features()) *
                                                     number * steps / blocks,
                                               .calls = blocks}});
  for (std::size_t n = 0; n < estimate.levels.size(); ++n) {
    const LevelEstimate& level = estimate.levels[n];
    const LevelConfig& from = config.hierarchy.levels[n];
    const auto ticks = epochs * static_cast<double>(level.ticks);
    const std::string name = fmt::format("level {}", n);
    work.parts.push_back(
        {name + " pooling",
         Passes{.bytes = (static_cast<double>(level.temporal_resolution) + 1.0) *
                         static_cast<double>(level.input_size) * number * ticks / blocks,
                .calls = blocks}});
    std::int64_t inputs = level.input_size;
    for (std::size_t m = 0; m < from.layers.size(); ++m) {
      const LayerWork layer{config,
                            work.parts,
                            fmt::format("level {} layer {}", n, m),
                            inputs,
                            from.layers[m].size,
                            ticks,
                            steps,
                            blocks,
                            from.learn && from.layers[m].learn};
      const Kind<LayerKind>& kind = from.layers[m].kind;
      if (const auto* plastic = kind.get_if<HebbianOptions>()) {
        layer(*plastic);
      } else if (const auto* temporal = kind.get_if<TemporalOptions>()) {
        layer(*temporal);
      } else {
        layer.add_products(1.0);
      }
      inputs = from.layers[m].size;
    }
    // Norms and changes of weights, and whether all is finite, wait for an answer each.
    const auto layers = static_cast<double>(from.layers.size());
    work.parts.push_back(
        {name + " metrics",
         Passes{.bytes = 2.0 * number * static_cast<double>(level.weights) / layers,
                .calls = 8.0 * layers * blocks}});
    work.parts.push_back(
        {name + " metrics", HostTraffic{.down = 8.0, .calls = (2.0 + 5.0 * layers) * blocks}});
    if (records) {
      work.parts.push_back(
          {name + " answers",
           HostTraffic{.down = static_cast<double>(level.output_size) * number * ticks / blocks,
                       .calls = blocks / epochs}});
    }
  }
  return work;
}

}  // namespace

Work work_of(const Experiment& experiment) {
  return experiment.config.network ? network_work(experiment) : hierarchy_work(experiment);
}

DeviceChoice choose_device(const Experiment& experiment) {
  const std::string& name = experiment.config.device;
  if (!is_auto(name)) {
    const Device device = Device::from_name(name);
    return {device, to_string(device)};
  }
  if (available_devices().size() == 1) return {Device::cpu(), "cpu (" + why_no_cuda() + ")"};
  const Placement placement = place(work_of(experiment));
  return {placement.device, placement.summary()};
}

Device device_of_run(const Experiment& experiment) {
  const DeviceChoice choice = choose_device(experiment);
  if (!is_auto(experiment.config.device)) return choice.device;
  if (available_devices().size() == 1) return Device::automatic();  // which tells why, once
  log_info("device auto: " + choice.text);
  return choice.device;
}

std::string explain_device(const Experiment& experiment) {
  const Placement placement = place(work_of(experiment), placement_candidates());
  std::string text = placement.explain();
  const std::string& name = experiment.config.device;
  if (!is_auto(name)) {
    text += "        (what auto would take; the experiment asks for " + name + ")\n";
  }
  return text;
}

}  // namespace gaia
