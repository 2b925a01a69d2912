// SPDX-License-Identifier: MIT
#include "network_summary.h"

#include <fmt/format.h>

#include "../../core/text.h"
#include "../../layers/network/plastic.h"
#include "../../learning/optimisers.h"
#include "../config/config_writer.h"
#include "../setup/build_network.h"
#include "../setup/training_data.h"
#include "apply_network.h"
#include "placement.h"
#include "summary.h"
#include "train.h"

namespace gaia {
namespace {

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

Fields fields_of(const TestScore& score, bool is_classifier) {
  Fields fields = {{"loss", score.loss}};
  if (is_classifier) {
    fields.emplace_back("accuracy", score.accuracy);
  } else {
    fields.emplace_back("nrmse", score.nrmse);
    fields.emplace_back("r2", score.r2);
  }
  return fields;
}

/// Doubts about the score of a network.
std::vector<std::string> doubts_of(bool looks_ahead) {
  if (!looks_ahead) return {};
  return {kLooksAhead};
}

}  // namespace

std::string network_line(const NetworkConfig& network) {
  std::string text;
  for (const Kind<ModuleKind>& layer : network.layers) {
    text += (text.empty() ? "" : " > ") + module_text(layer);
  }
  return text + ", " + optimiser_name(network.optimizer) + ", " + network.loss;
}

CheckedExperiment checked_network(const Experiment& experiment) {
  const SampleCounts counts = sample_counts(experiment);
  const BuiltNetwork network =
      build_network(experiment.config, sample_shape(experiment), answer_size(experiment));
  std::string rules;
  for (std::size_t m = 0; m < network.modules.size(); ++m) {
    const auto* const plastic =
        dynamic_cast<const PlasticModule*>(&(*network.net)[network.modules[m]]);
    if (plastic == nullptr) continue;
    RuleExecution execution = plastic->execution(experiment.config.network()->batch_size);
    // Without steps in a sample, or on the way of a gradient, it goes step by step in any case.
    execution.executor.clear();
    rules += fmt::format("rule     network.layers[{}]: {}, {}\n", m,
                         rule_name(plastic->plasticity().rule), execution.text());
  }
  const ExperimentConfig& config = experiment.config;
  std::string tasks;
  if (config.data.permuted_tasks > 0) {
    const std::int64_t epochs = config.network()->epochs;
    tasks = fmt::format(
        "tasks    {} one after another, {} epoch{} each; {} holds what earlier ones need\n",
        config.data.permuted_tasks, epochs, epochs == 1 ? "" : "s",
        config.network()->consolidate ? "network.consolidate" : "nothing");
  }
  CheckedExperiment checked;
  checked.text = fmt::format(
      "{}{}samples  {} of shape {} to train on, {}{} to test with{}\n{}device   {}\n{}\n",
      data_lines(experiment), tasks, grouped(counts.train), to_string(sample_shape(experiment)),
      counts.validation == 0 ? std::string()
                             : fmt::format("{} to validate by, ", grouped(counts.validation)),
      grouped(counts.test),
      counts.purged == 0 ? std::string()
                         : fmt::format(", {} between them left out", grouped(counts.purged)),
      rules, choose_device(experiment).text, network.net->summary());
  return checked;
}

std::string TrainingSummary::text() const {
  std::string text;
  if (is_classifier) {
    text = scores_text("test    ", "the network", score.own(), score.undefined, score.baselines(),
                       fmt::format(", loss {:.4f}, {} samples", score.loss, grouped(test_samples)));
  } else {
    text = scores_text("test    ", "the network", score.own(), score.undefined, {score.beside()},
                       fmt::format(", {} samples", grouped(test_samples)), doubts_of(looks_ahead));
  }
  if (validation_samples > 0) text += validation_text();
  if (tasks > 0 && status == RunStatus::complete) {
    text += fmt::format("tasks    {}, mean accuracy {:.4f}, forgetting {:.4f}\n", tasks,
                        task_scores.mean_accuracy, task_scores.forgetting);
  }
  text += seed_line(is_classifier || score.own().is_defined(), one_seed);
  const bool complete = status == RunStatus::complete;
  text += fmt::format("{}  {} of {} epochs in {}\n", complete ? "done   " : "stopped", steps_done,
                      steps, duration_text(seconds));
  return text + file_lines(file);
}

Fields TrainingSummary::fields() const {
  Fields all = {{"test", fields_of(score, is_classifier)}};
  if (validation_samples > 0) {
    Fields part = fields_of(validation, is_classifier);
    if (best_epoch >= 0) part.emplace_back("best_epoch", best_epoch);
    part.emplace_back("stopped_early", stopped_early ? "true" : "false");
    all.emplace_back("validation", part);
  }
  if (tasks > 0) {
    all.emplace_back("tasks", Fields{{"mean_accuracy", task_scores.mean_accuracy},
                                     {"forgetting", task_scores.forgetting}});
  }
  return all;
}

std::string TrainingSummary::validation_text() const {
  std::string text = "validation  ";
  if (is_classifier) {
    text += fmt::format("accuracy {:.4f}, ", validation.accuracy);
  } else {
    text += fmt::format("NRMSE {:.4f}, R2 {:.4f}, ", validation.nrmse, validation.r2);
  }
  text += fmt::format("loss {:.4f}, {} samples", validation.loss, grouped(validation_samples));
  if (best_epoch >= 0) {
    text += fmt::format("; best in epoch {}{}", best_epoch + 1,
                        stopped_early ? fmt::format(", so that training ended after {}", steps_done)
                                      : std::string());
  }
  return text + "\n";
}

std::string NetworkApplication::text() const {
  std::string text;
  if (targets == 0) {
    text = fmt::format("applied  {} samples, of which no {} known\n", grouped(samples),
                       is_classifier ? "classes are" : "targets are");
  } else if (is_classifier) {
    text = fmt::format("applied  accuracy {:.4f}, loss {:.4f}, {} samples\n", score.accuracy,
                       score.loss, grouped(samples));
  } else {
    text = scores_text(
        "applied ", "the network", score.own(), score.undefined, {score.beside()},
        fmt::format(", {} samples, {} with a target", grouped(samples), grouped(targets)),
        doubts_of(looks_ahead));
  }
  if (in_sample && targets > 0) text += fmt::format("warning  {}\n", kInSample);
  text += fmt::format("done     in {}\n", duration_text(seconds));
  return text + file_lines(file);
}

}  // namespace gaia
