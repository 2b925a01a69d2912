// SPDX-License-Identifier: MIT
#include "hierarchy_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../array/device.h"
#include "../../core/text.h"
#include "../../io/output_files.h"
#include "../readouts/readout_verdict.h"
#include "../setup/build.h"
#include "../setup/one_seed.h"
#include "free_runs.h"
#include "hierarchy_run.h"
#include "progress.h"
#include "rates.h"
#include "summary.h"

namespace gaia {
namespace {

/// What `gaia check` says of a hierarchy that can run.
std::string estimate_text(const Experiment& experiment, const Estimate& estimate) {
  std::string text = data_lines(experiment);
  text += fmt::format("samples  {} of {} numbers (window {}), {} at a time\n",
                      grouped(experiment.steps), experiment.features(),
                      experiment.config.data.window, grouped(estimate.block_steps));
  if (experiment.config.hierarchy().epochs > 1) {
    text +=
        fmt::format("epochs   {}, {} steps in all\n", grouped(experiment.config.hierarchy().epochs),
                    grouped(experiment.all_steps()));
  }
  if (experiment.from) text += fmt::format("from     {}\n", experiment.from->path);
  text += "level  resolution      inputs  neurons       ticks     weights\n";
  for (std::size_t n = 0; n < estimate.levels.size(); ++n) {
    const LevelEstimate& level = estimate.levels[n];
    text += fmt::format("{:5}  {:10}  {:>10}  {:7}  {:>10}  {:>10}\n", n, level.temporal_resolution,
                        grouped(level.input_size), level.output_size, grouped(level.ticks),
                        grouped(level.weights));
  }
  for (const RuleEstimate& rule : estimate.rules) {
    text += fmt::format("rule     {}: {}, {}\n", rule.layer, rule.rule, rule.execution.text());
  }
  for (const FilterEstimate& filter : estimate.filters) {
    text += fmt::format("filter   {}: {}\n", filter.layer, filter.text());
  }
  for (const TalkEstimate& talk : estimate.talks) {
    text += fmt::format("talk     {}: {}\n", talk.layer, talk.text());
  }
  text += fmt::format("device   {}\n", estimate.device);
  text += fmt::format("memory   about {} ({} free)\n", bytes_text(estimate.memory_bytes),
                      bytes_text(static_cast<double>(device_info(Device::cpu()).free_memory)));
  const std::string& output = experiment.config.output.path;
  text += fmt::format("disk     at most about {} ({} free) in {}\n",
                      bytes_text(estimate.disk_bytes), bytes_text(free_space(output)), output);
  if (estimate.seconds > 0.0) {
    text += fmt::format("time     about {}, {} steps/s\n", duration_text(estimate.seconds),
                        rate_text(static_cast<double>(experiment.all_steps()) / estimate.seconds));
  }
  return text;
}

Verdict own_verdict(const ReadoutSummary& readout) {
  return verdict_of_readout(readout.config, readout.score, readout.controls, readout.in_sample,
                            readout.remarks);
}

Fields fields_of(const LevelSummary& level) {
  return {{"temporal_resolution", level.temporal_resolution},
          {"ticks", level.ticks},
          {"neurons", level.neurons},
          {"mean_activity", level.mean_activity},
          {"weight_norm", level.weight_norm},
          {"weight_change", level.weight_change},
          {"silent_neurons", level.answers.silent},
          {"always_neurons", level.answers.always},
          {"constant_neurons", level.answers.constant}};
}

Fields fields_of(const ReadoutSummary& readout) {
  Fields numbers;
  for (const auto& [name, value] : readout.score.numbers()) numbers.emplace_back(name, value);
  FieldList others;
  for (const Score& score : others_of(readout.config, readout.score, readout.controls)) {
    others.emplace_back(fields_of(score));
  }
  return {{"name", readout.config.name},
          {"target", readout.target},
          {"numbers", numbers},
          {"undefined", readout.score.undefined},
          {"score", fields_of(readout.score.own())},
          {"others", others},
          {"verdict", readout.config.predicts() ? own_verdict(readout).text : std::string()},
          {"noticed", readout.noticed}};
}

/// Sizes, and how it learns.
Fields fields_of(const Experiment& experiment, const Estimate& estimate) {
  FieldList levels;
  for (const LevelEstimate& level : estimate.levels) {
    levels.emplace_back(Fields{{"temporal_resolution", level.temporal_resolution},
                               {"input_size", level.input_size},
                               {"output_size", level.output_size},
                               {"ticks", level.ticks},
                               {"weights", level.weights}});
  }
  FieldList rules;
  for (const RuleEstimate& rule : estimate.rules) {
    Fields one = {{"layer", rule.layer}, {"rule", rule.rule}};
    for (const auto& [name, value] : rule.execution.attributes()) one.emplace_back(name, value);
    rules.emplace_back(std::move(one));
  }
  FieldList filters;
  for (const FilterEstimate& filter : estimate.filters) {
    filters.emplace_back(Fields{{"layer", filter.layer},
                                {"model", filter.model},
                                {"states", filter.states},
                                {"observed", filter.observed},
                                {"state_noise", filter.state_noise},
                                {"observation_noise", filter.observation_noise},
                                {"adapts", filter.adapts}});
  }
  FieldList talks;
  for (const TalkEstimate& talk : estimate.talks) {
    talks.emplace_back(Fields{{"layer", talk.layer},
                              {"from", talk.from},
                              {"as", talk.as},
                              {"rule", talk.rule},
                              {"executor", talk.in_blocks ? "chunkwise" : "stepwise"},
                              {"pace", talk.pace}});
  }
  return {{"steps", experiment.steps},
          {"features", experiment.features()},
          {"device", estimate.device},
          {"levels", levels},
          {"rules", rules},
          {"filters", filters},
          {"talks", talks},
          {"memory_bytes", estimate.memory_bytes},
          {"disk_bytes", estimate.disk_bytes},
          {"seconds", estimate.seconds}};
}

}  // namespace

std::string hierarchy_line(const HierarchyConfig& hierarchy) {
  std::string text;
  for (const LevelConfig& level : hierarchy.levels) {
    std::string layers;
    for (const LayerConfig& layer : level.layers) {
      layers +=
          fmt::format("{}{} {}", layers.empty() ? "" : " > ", layer.kind->summary(), layer.size);
    }
    text += fmt::format("{}{} @{}", text.empty() ? "" : " | ", layers, level.temporal_resolution);
  }
  return text;
}

Needs hierarchy_needs(const Experiment& experiment, bool trial) {
  if (trial) return estimate_run(experiment, true);
  HierarchyManager built = build_hierarchy(experiment.config, experiment.features());
  built.connect();
  return estimate_sizes(experiment, built);
}

CheckedExperiment checked_hierarchy(Experiment& experiment, bool trial) {
  const Estimate estimate = estimate_run(experiment, trial);
  const std::vector<LayerRate> rates = measure_rates(experiment);
  CheckedExperiment checked{
      .text = estimate_text(experiment, estimate),
      .shortages = shortages(experiment, estimate.memory_bytes, estimate.disk_bytes),
      .warnings = rate_warnings(rates, experiment),
      .rates = automatic_rates_text(rates),
      .fields = fields_of(experiment, estimate)};
  std::vector<std::string> warnings = experiment.warnings;
  warnings.insert(warnings.end(), checked.warnings.begin(), checked.warnings.end());
  checked.fields.emplace_back("warnings", warnings);
  return checked;
}

std::string HierarchySummary::text() const {
  std::string text = "level  resolution       ticks  neurons  mean |y|    mean |w|  change of W\n";
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const LevelSummary& level = levels[n];
    text += fmt::format("{:5}  {:10}  {:>10}  {:7}  {:8.3g}  {:10.4g}  {:11.3g}\n", n,
                        level.temporal_resolution, grouped(level.ticks), level.neurons,
                        level.mean_activity, level.weight_norm, level.weight_change);
  }
  for (const LevelSummary& level : levels) {
    for (const std::string& one : level.answers.sentences()) text += "warning  " + one + "\n";
  }
  for (const std::string& one : inputs_noticed) text += "warning  " + one + "\n";
  bool is_judged = false;
  for (const ReadoutSummary& readout : readouts) {
    const ReadoutScore& score = readout.score;
    if (!readout.config.predicts()) {
      text += fmt::format("readout  {} of {}: {}\n", readout.config.name, readout.target,
                          readout.noticed.empty() ? "no change" : readout.noticed.front());
      continue;
    }
    is_judged = is_judged || score.own().is_defined();
    text += scores_text(fmt::format("readout  {}:", readout.config.name),
                        fmt::format("readout {} of {}", readout.config.name, readout.target),
                        score.own(), score.undefined,
                        others_of(readout.config, score, readout.controls), "",
                        doubts_about(readout.config, readout.in_sample), readout.remarks);
    if (const std::string free = free_run_text(readout.config, score, readout.controls);
        !free.empty()) {
      text += "         " + free + "\n";
    }
    if (const std::string purge =
            purge_text(readout.purged, readout.purge, readout.config.folds > 0);
        !purge.empty()) {
      text += "         " + purge + "\n";
    }
    for (const ControlScore& one : readout.controls) {
      for (const auto& [name, value] : one.variant) {
        const double* const chosen = std::get_if<double>(&value);
        if (chosen == nullptr) continue;  // one of several is a number
        text += fmt::format("         {} of {}: {:g}, the best before the test part\n", name,
                            control_title(one.control), *chosen);
      }
    }
    for (const std::string& one : readout.noticed) {
      text += fmt::format("warning  readout {}: {}\n", readout.config.name, one);
    }
    for (const std::string& control : readout.left_out) {
      text += fmt::format("         control left out, {}\n", control);
    }
  }
  text += seed_line(is_judged, one_seed);
  if (!cause.empty()) text += fmt::format("warning  {}\n", cause);
  const double rate = seconds > 0.0 ? static_cast<double>(steps_done) / seconds : 0.0;
  const bool complete = status == RunStatus::complete;
  std::string controls;
  if (control_seconds > 0.0 && seconds > 0.0) {
    controls = fmt::format(", {:.0f} % of it for controls",
                           100.0 * std::min(1.0, control_seconds / seconds));
  }
  text += fmt::format("{}  {} of {} steps in {}, {} steps/s{}\n", complete ? "done   " : "stopped",
                      grouped(steps_done), grouped(steps), duration_text(seconds), rate_text(rate),
                      controls);
  text += file_lines(file);
  return complete ? text + xarray_line(file, "levels/0") : text;
}

Fields HierarchySummary::fields() const {
  FieldList all_levels;
  for (const LevelSummary& level : levels) all_levels.emplace_back(fields_of(level));
  FieldList all_readouts;
  std::vector<Verdict> verdicts;
  for (const ReadoutSummary& readout : readouts) {
    all_readouts.emplace_back(fields_of(readout));
    if (readout.config.predicts()) verdicts.push_back(own_verdict(readout));
  }
  return {{"levels", all_levels},
          {"readouts", all_readouts},
          {"inputs_noticed", inputs_noticed},
          {"verdict", with_cause(of_one_seed(verdict_of_run(verdicts)), cause)}};
}

}  // namespace gaia
