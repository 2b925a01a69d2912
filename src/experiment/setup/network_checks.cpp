// SPDX-License-Identifier: MIT
#include "network_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../layers/network/plastic.h"
#include "../../learning/optimisers.h"
#include "build_network.h"
#include "training_data.h"

namespace gaia {
namespace {

void check_target(const Experiment& experiment, const AddProblem& add) {
  const NetworkConfig& network = *experiment.config.network();
  const NetworkTarget& target = network.target;
  const Series& series = *experiment.series;
  const std::int64_t known = target.of_latent ? series.latents() : series.channels();
  const char* const what = target.of_latent ? "latent" : "channel";
  if (target.index >= known) {
    add(fmt::format("network.target.{}", what),
        known == 0
            ? "this series has no latents"
            : fmt::format("there is no {} {}; known: 0 to {}", what, target.index, known - 1));
  }
  const SampleCounts counts = sample_counts(experiment);
  const auto purged = [&](const char* reached, const char* way_out) {
    return counts.purged == 0
               ? std::string()
               : fmt::format(
                     "; {} are left out (purge) since their windows or targets reach {}; "
                     "another {}, a smaller window or horizon, or more data leave more",
                     counts.purged, reached, way_out);
  };
  if (network.validation > 0.0 && std::min({counts.train, counts.test, counts.validation}) < 2) {
    add("network.validation",
        fmt::format("{} steps, {} ahead, give {} samples to train on, {} to validate by and {} to "
                    "test with; at least 2 of each are needed{}",
                    experiment.steps, target.horizon, counts.train, counts.validation, counts.test,
                    purged("a later part", "share or split")));
    return;
  }
  if (counts.train < 2 || counts.test < 2) {
    add("network.split",
        fmt::format("{} steps, {} ahead, give {} samples to train on and {} to test with; at least "
                    "2 of each are needed{}",
                    experiment.steps, target.horizon, counts.train, counts.test,
                    purged("what is tested", "split")));
  }
}

/// Each image is for itself.
void check_validation_images(const Experiment& experiment, const AddProblem& add) {
  const double share = experiment.config.network()->validation;
  const SampleCounts counts = sample_counts(experiment);
  if (share == 0.0 || (counts.train >= 2 && counts.validation >= 2)) return;
  add("network.validation",
      fmt::format(
          "{} of {} training images leaves {} to train on and {} to validate by; at least 2 "
          "of each are needed",
          share, counts.train + counts.validation, counts.train, counts.validation));
}

void check_early_stop(const ExperimentConfig& config, const AddProblem& add) {
  const NetworkConfig& network = *config.network();
  if (!network.early_stop) return;
  if (network.validation == 0.0) {
    add("network.early_stop",
        "watches the loss of a validation part, and there is none; say network.validation: 0.1, or "
        "another share of the training part, since the test part may not decide when training "
        "ends");
  }
  if (config.data.permuted_tasks > 1) {
    add("network.early_stop",
        "ends one training, and data.tasks asks for several, of network.epochs each; leave one of "
        "them out");
  }
}

/// A network has no use for values that are missing.
void check_none_missing(const Experiment& experiment, const AddProblem& add) {
  const DataConfig& data = experiment.config.data;
  if (leaves_missing(data.faults)) {
    add("data.faults", "a network cannot read values that are missing; write shows: last or zero");
  } else if (data.keeps_missing()) {
    add("data.missing", "keep leaves values missing, which a network cannot read; use hold");
  }
}

/// Some layers cannot train on one sample alone.
void check_batches(const Experiment& experiment, const BuiltNetwork& built, const AddProblem& add) {
  const NetworkConfig& network = *experiment.config.network();
  const std::int64_t samples = sample_counts(experiment).train;
  // The smallest batch.
  const std::int64_t last = samples - (batches_of(experiment) - 1) * network.batch_size;
  // One of the members has a single sample if they have fewer than 2 on average.
  if (last >= 2 * network.members) return;
  for (std::size_t m = 0; m < network.layers.size(); ++m) {
    const Shape& reads = built.shapes[m].reads;
    if (!network.layers[m]->needs_two(reads)) continue;
    const std::string needs =
        fmt::format("network.layers[{}], {}, needs at least 2 samples at a time, but ", m,
                    network.layers[m]->name());
    if (last > 1) {
      return add("network.members",
                 needs + fmt::format("of a batch of {} in {} members one has 1; choose at most {} "
                                     "members, or another batch_size",
                                     last, network.members, last / 2));
    }
    return add(
        "network.batch_size",
        needs + fmt::format("{} has 1 ({} samples to train on, in batches of {}); choose "
                            "another batch_size",
                            network.batch_size == 1 ? "every batch" : "the last batch of an epoch",
                            samples, network.batch_size));
  }
}

/// Checks that a rule reads no signals; false where it does.
bool check_without_signals(const EquationRule& rule, const std::string& key,
                           const AddProblem& add) {
  const std::vector<bool> is_read = rule.program().signals_read(true);
  bool is_right = true;
  for (std::size_t s = 0; s < is_read.size(); ++s) {
    if (!is_read[s]) continue;
    is_right = false;
    add(key + "." + rule.program().signals[s].name,
        "signals are columns beside the samples of a hierarchy; a network has none");
  }
  return is_right;
}

/// Checks that no layer is trained below one through which no gradient passes.
void check_gradients(const NetworkConfig& network, const BuiltNetwork& built,
                     const AddProblem& add) {
  for (std::size_t m = 0; m < network.layers.size(); ++m) {
    const auto* const plastic = network.layers[m].get_if<PlasticKind>();
    const auto* const rule =
        plastic == nullptr ? nullptr : std::get_if<EquationRule>(&plastic->options.rule);
    if (rule == nullptr || !rule->program().assigns_output) continue;
    for (std::size_t below = 0; below < m; ++below) {
      std::int64_t trained = 0;
      for (std::int64_t i = built.modules[below]; i < built.modules[below + 1]; ++i) {
        trained += (*built.net)[i].parameter_count();
      }
      if (trained == 0) continue;
      add(fmt::format("network.layers[{}].rule.equations", m),
          fmt::format("they assign y, so no gradient reaches network.layers[{}] ({}) below, which "
                      "is trained by it; put this layer first, or leave y alone",
                      below, network.layers[below]->name()));
      break;
    }
  }
}

}  // namespace

void load_network(Loader& loader) {
  loader.open_data();
  if (loader.is_right()) check_network(loader.experiment, loader.add);
  loader.settle_data();
}

void check_network(Experiment& experiment, const AddProblem& add) {
  NetworkConfig& network = *experiment.config.kind.get_if<NetworkConfig>();
  const bool is_images = experiment.images.has_value();
  if (!is_images && !experiment.series) return;  // which was reported already
  if (!experiment.config.readouts.empty()) {
    add("readouts", "readouts read levels of a hierarchy; a network has network.target");
  }
  if (network.loss == "auto") network.loss = is_images ? "cross_entropy" : "mse";
  if (is_images != (network.loss == "cross_entropy")) {
    add("network.loss", is_images
                            ? "expected cross_entropy for images with classes, got " + network.loss
                            : "expected mse, l1 or huber for a series, got cross_entropy");
  }
  if (!is_images) {
    check_none_missing(experiment, add);
    check_target(experiment, add);
  } else {
    check_validation_images(experiment, add);
  }
  check_early_stop(experiment.config, add);
  if (network.consolidate && experiment.config.data.permuted_tasks < 2) {
    add("network.consolidate",
        "holds what earlier tasks need, but there is one task; say data.tasks: {permute: N}, with "
        "N "
        "at least 2, or leave it out");
  }
  bool can_be_built = true;
  for (std::size_t m = 0; m < network.layers.size(); ++m) {
    const auto* const plastic = network.layers[m].get_if<PlasticKind>();
    if (plastic == nullptr) continue;
    if (const auto* const rule = std::get_if<EquationRule>(&plastic->options.rule)) {
      can_be_built &=
          check_without_signals(*rule, fmt::format("network.layers[{}].rule.signals", m), add);
    }
    if (plastic->options.init == Init::samples) {
      add(fmt::format("network.layers[{}].init", m),
          "samples are rows that the first layer of a hierarchy reads; take another init");
      can_be_built = false;
    }
    if (!plastic->options.automatic_rate) continue;
    add(fmt::format("network.layers[{}].learning_rate", m),
        "auto is found for the layers of a hierarchy alone; write a number");
  }
  if (!can_be_built) return;
  try {
    check(network.optimizer);
    const BuiltNetwork built =
        build_network(experiment.config, sample_shape(experiment), answer_size(experiment));
    check_batches(experiment, built, add);
    check_gradients(network, built, add);
  } catch (const ArgumentError& error) {
    const std::string text = error.what();
    const std::size_t colon = text.find(": ");
    const bool names_layer = text.rfind("network.layers[", 0) == 0 && colon != std::string::npos;
    add(names_layer ? text.substr(0, colon) : "network.optimizer",
        names_layer ? text.substr(colon + 2) : text);
  }
}

}  // namespace gaia
