// SPDX-License-Identifier: MIT
#include "summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "../../array/device.h"
#include "../../core/parallel.h"
#include "../../core/text.h"
#include "../../core/version.h"
#include "../../io/output_files.h"
#include "../../layers/network/plastic.h"
#include "../../learning/optimisers.h"
#include "../config/config_writer.h"
#include "../readouts/readout_verdict.h"
#include "../setup/build_network.h"
#include "../setup/filled_values.h"
#include "placement.h"
#include "progress.h"

namespace gaia {
namespace {

std::string data_line(const Experiment& experiment) {
  if (experiment.images) {
    const Shape& shape = experiment.images->train_images.shape();
    return fmt::format("{}  {} + {} images of {} x {}", experiment.data_path,
                       grouped(experiment.images->train_labels.size()),
                       grouped(experiment.images->test_labels.size()), shape[1], shape[2]);
  }
  const Series& series = *experiment.series;
  std::string text =
      experiment.data_path.empty() ? source_name(experiment.config.data) : experiment.data_path;
  text += fmt::format("  {} rows x {} channel{}", grouped(series.rows()), series.channels(),
                      series.channels() == 1 ? "" : "s");
  if (const auto rate = experiment.config.data.sample_rate) {
    text += fmt::format("  {:g} Hz  {}", *rate,
                        duration_text(static_cast<double>(series.rows()) / *rate));
  }
  return text;
}

/// What of the data is filled, "missing  held: 'flow' 12.3 % ..."; empty where nothing is.
std::string filled_line(const Experiment& experiment) {
  const FilledValues filled = filled_values(experiment);
  if (!filled.any()) return {};
  return fmt::format("missing  {}: {}\n",
                     filled.policy == MissingPolicy::hold ? "held" : "interpolated",
                     filled_text(filled));
}

/// "dense 128 relu", "conv2d 16", "flatten".
std::string module_text(const Kind<ModuleKind>& layer) {
  std::string text = layer->name();
  for (const auto& [name, value] : attributes_of(layer)) {
    if (name == "size" || name == "channels")
      text += fmt::format(" {}", std::get<std::int64_t>(value));
    const bool acts = name == "activation" && std::get<std::string>(value) != "linear";
    if (acts) text += " " + std::get<std::string>(value);
  }
  return text;
}

std::string model_line(const ExperimentConfig& config) {
  std::string text;
  if (config.network) {
    for (const Kind<ModuleKind>& layer : config.network->layers) {
      text += (text.empty() ? "" : " > ") + module_text(layer);
    }
    return text + ", " + optimiser_name(config.network->optimizer) + ", " + config.network->loss;
  }
  for (const LevelConfig& level : config.hierarchy.levels) {
    std::string layers;
    for (const LayerConfig& layer : level.layers) {
      layers +=
          fmt::format("{}{} {}", layers.empty() ? "" : " > ", layer.kind->summary(), layer.size);
    }
    text += fmt::format("{}{} @{}", text.empty() ? "" : " | ", layers, level.temporal_resolution);
  }
  return text;
}

/// The score of `what`, "readout  name", beside its baselines and controls, and a line with the
/// verdict, a warning where it is no better than they are.
std::string scores_text(const std::string& what, const std::string& whose, const Score& score,
                        const std::string& undefined, const std::vector<Score>& baselines,
                        const std::string& more, const std::vector<std::string>& doubts = {},
                        const std::vector<std::string>& remarks = {}) {
  if (!undefined.empty()) return fmt::format("{} not defined: {}{}\n", what, undefined, more);
  std::string beside;
  for (const Score& baseline : baselines) {
    beside +=
        fmt::format("{}{}: {}", beside.empty() ? "" : "; ", baseline.name, score_text(baseline));
  }
  std::string text = fmt::format("{} {}   ({}){}\n", what, score_text(score), beside, more);
  const Verdict verdict = verdict_of(score, baselines, doubts, remarks);
  if (verdict.text.empty()) return text;
  const bool is_bad = verdict.standing == Verdict::Standing::bad;
  // "readout next of channel 0 is beaten by", "readout next of channel 0: learning gains"
  const char* const after =
      verdict.text.starts_with("learning") || verdict.text.starts_with("the ") ? ":" : "";
  return text +
         fmt::format("{}  {}{} {}\n", is_bad ? "warning" : "verdict", whose, after, verdict.text);
}

/// Doubts about the score of a network.
std::vector<std::string> doubts_of(bool looks_ahead) {
  if (!looks_ahead) return {};
  return {kLooksAhead};
}

/// A line below the scores, where there are some.
std::string seed_line(bool has_scores, const std::string& one_seed) {
  return has_scores && !one_seed.empty() ? fmt::format("         {}\n", one_seed) : "";
}

std::string file_size(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return error ? "" : " (" + bytes_text(static_cast<double>(bytes)) + ")";
}

}  // namespace

std::string opening_text(const Experiment& experiment) {
  const ExperimentConfig& config = experiment.config;
  const bool is_agent = config.agent.has_value();
  return fmt::format(
      "gaia {} ({})  {}, {} thread{}\n"
      "config   {}  {}, seed {}, {}\n"
      "{}    {}\n{}"
      "{}    {}\n",
      version(), git_commit(), config.device == "auto" ? "device auto" : config.device,
      num_threads(), num_threads() == 1 ? "" : "s", experiment.file, config.experiment, config.seed,
      to_string(config.dtype), is_agent ? "world" : "data ",
      is_agent ? environment_line(config) : data_line(experiment), filled_line(experiment),
      is_agent ? "agent" : "model", is_agent ? agent_line(config) : model_line(config));
}

std::string closing_text(const RunSummary& summary) {
  std::string text = "level  resolution       ticks  neurons  mean |y|    mean |w|  change of W\n";
  for (std::size_t n = 0; n < summary.levels.size(); ++n) {
    const LevelSummary& level = summary.levels[n];
    text += fmt::format("{:5}  {:10}  {:>10}  {:7}  {:8.3g}  {:10.4g}  {:11.3g}\n", n,
                        level.temporal_resolution, grouped(level.ticks), level.neurons,
                        level.mean_activity, level.weight_norm, level.weight_change);
  }
  for (const LevelSummary& level : summary.levels) {
    for (const std::string& one : level.answers.sentences()) text += "warning  " + one + "\n";
  }
  bool is_judged = false;
  for (const ReadoutSummary& readout : summary.readouts) {
    const ReadoutScore& score = readout.score;
    is_judged = is_judged || score.own().is_defined();
    text += scores_text(fmt::format("readout  {}:", readout.config.name),
                        fmt::format("readout {} of {}", readout.config.name, readout.target),
                        score.own(), score.undefined,
                        others_of(readout.config, score, readout.controls), "",
                        doubts_about(readout.config, readout.in_sample), readout.remarks);
    if (const std::string purge =
            purge_text(readout.purged, readout.purge, readout.config.folds > 0);
        !purge.empty()) {
      text += "         " + purge + "\n";
    }
    for (const ControlScore& one : readout.controls) {
      for (const auto& [name, value] : one.variant) {
        text += fmt::format("         {} of {}: {:g}, the best before the test part\n", name,
                            control_title(one.control), std::get<double>(value));
      }
    }
    for (const std::string& one : readout.noticed) {
      text += fmt::format("warning  readout {}: {}\n", readout.config.name, one);
    }
    for (const std::string& control : readout.left_out) {
      text += fmt::format("         control left out, {}\n", control);
    }
  }
  text += seed_line(is_judged, summary.one_seed);
  if (!summary.cause.empty()) text += fmt::format("warning  {}\n", summary.cause);
  const double rate =
      summary.seconds > 0.0 ? static_cast<double>(summary.steps_done) / summary.seconds : 0.0;
  const bool complete = summary.status == RunStatus::complete;
  std::string controls;
  if (summary.control_seconds > 0.0 && summary.seconds > 0.0) {
    controls = fmt::format(", {:.0f} % of it for controls",
                           100.0 * std::min(1.0, summary.control_seconds / summary.seconds));
  }
  text += fmt::format("{}  {} of {} steps in {}, {} steps/s{}\n", complete ? "done   " : "stopped",
                      grouped(summary.steps_done), grouped(summary.steps),
                      duration_text(summary.seconds), rate_text(rate), controls);
  text += fmt::format("file     {}{}\n", summary.file, file_size(summary.file));
  text += fmt::format("next     gaia report {0}\n         gaia inspect {0}\n", summary.file);
  if (complete) {
    text += fmt::format(
        "         python3 -c \"import xarray as xr; print(xr.open_dataset('{}', "
        "engine='h5netcdf', group='levels/0'))\"\n",
        summary.file);
  }
  return text;
}

std::string closing_text(const NetworkApplication& made) {
  const TestScore& score = made.score;
  std::string text;
  if (made.targets == 0) {
    text = fmt::format("applied  {} samples, of which no {} known\n", grouped(made.samples),
                       made.is_classifier ? "classes are" : "targets are");
  } else if (made.is_classifier) {
    text = fmt::format("applied  accuracy {:.4f}, loss {:.4f}, {} samples\n", score.accuracy,
                       score.loss, grouped(made.samples));
  } else {
    text = scores_text(
        "applied ", "the network", score.own(), score.undefined, {score.beside()},
        fmt::format(", {} samples, {} with a target", grouped(made.samples), grouped(made.targets)),
        doubts_of(made.looks_ahead));
  }
  if (made.in_sample && made.targets > 0) text += fmt::format("warning  {}\n", kInSample);
  text += fmt::format("done     in {}\n", duration_text(made.seconds));
  text += fmt::format("file     {}{}\n", made.file, file_size(made.file));
  text += fmt::format("next     gaia report {0}\n         gaia inspect {0}\n", made.file);
  return text;
}

std::string estimate_text(const Experiment& experiment, const Estimate& estimate) {
  std::string text = fmt::format("data     {}\n{}", data_line(experiment), filled_line(experiment));
  text += fmt::format("samples  {} of {} numbers (window {}), {} at a time\n",
                      grouped(experiment.steps), experiment.features(),
                      experiment.config.data.window, grouped(estimate.block_steps));
  if (experiment.config.hierarchy.epochs > 1) {
    text +=
        fmt::format("epochs   {}, {} steps in all\n", grouped(experiment.config.hierarchy.epochs),
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

std::string closing_text(const TrainingSummary& summary) {
  const TestScore& score = summary.score;
  std::string text;
  if (summary.is_classifier) {
    text = fmt::format("test     accuracy {:.4f}, loss {:.4f}, {} samples\n", score.accuracy,
                       score.loss, grouped(summary.test_samples));
  } else {
    text = scores_text("test    ", "the network", score.own(), score.undefined, {score.beside()},
                       fmt::format(", {} samples", grouped(summary.test_samples)),
                       doubts_of(summary.looks_ahead));
  }
  text += seed_line(summary.is_classifier || score.own().is_defined(), summary.one_seed);
  const bool complete = summary.status == RunStatus::complete;
  text += fmt::format("{}  {} of {} epochs in {}\n", complete ? "done   " : "stopped",
                      summary.epochs_done, summary.epochs, duration_text(summary.seconds));
  text += fmt::format("file     {}{}\n", summary.file, file_size(summary.file));
  text += fmt::format("next     gaia report {0}\n         gaia inspect {0}\n", summary.file);
  return text;
}

std::string network_text(const Experiment& experiment) {
  const SampleCounts counts = sample_counts(experiment);
  const BuiltNetwork network =
      build_network(experiment.config, sample_shape(experiment), answer_size(experiment));
  std::string rules;
  for (std::size_t m = 0; m < network.modules.size(); ++m) {
    const auto* const plastic =
        dynamic_cast<const PlasticModule*>(&(*network.net)[network.modules[m]]);
    if (plastic == nullptr) continue;
    RuleExecution execution = plastic->execution(experiment.config.network->batch_size);
    // Without steps in a sample, or on the way of a gradient, it goes step by step in any case.
    execution.executor.clear();
    rules += fmt::format("rule     network.layers[{}]: {}, {}\n", m,
                         rule_name(plastic->plasticity().rule), execution.text());
  }
  return fmt::format(
      "data     {}\n{}samples  {} of shape {} to train on, {} to test with{}\n{}device   {}\n{}\n",
      data_line(experiment), filled_line(experiment), grouped(counts.train),
      to_string(sample_shape(experiment)), grouped(counts.test),
      counts.purged == 0 ? std::string()
                         : fmt::format(", {} between them left out", grouped(counts.purged)),
      rules, choose_device(experiment).text, network.net->summary());
}

}  // namespace gaia
