// SPDX-License-Identifier: MIT
#include "network_checks.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "../../core/error.h"
#include "../../layers/network/plastic.h"
#include "../../learning/optimisers.h"
#include "build_network.h"
#include "training_data.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

/// Each may be there as it is or packed, with .gz.
constexpr std::array<const char*, 4> kFiles = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                               "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

/// The first `count` of images and labels.
void keep_first(const std::optional<std::int64_t>& count, const char* key, Array& images,
                Array& labels, const AddProblem& add) {
  if (!count) return;
  if (*count > labels.size()) {
    return add(key, fmt::format("expected at most {}, got {}", labels.size(), *count));
  }
  images = images.slice(0, 0, *count);
  labels = labels.slice(0, 0, *count);
}

void check_target(const Experiment& experiment, const AddProblem& add) {
  const NetworkConfig& network = *experiment.config.network;
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
  if (counts.train < 2 || counts.test < 2) {
    add("network.split",
        fmt::format("{} steps, {} ahead, give {} samples to train on and {} to test with; at least "
                    "2 of each are needed",
                    experiment.steps, target.horizon, counts.train, counts.test));
  }
}

/// Some layers cannot train on one sample alone.
void check_batches(const Experiment& experiment, const BuiltNetwork& built, const AddProblem& add) {
  const NetworkConfig& network = *experiment.config.network;
  const std::int64_t samples = sample_counts(experiment).train;
  // The smallest batch.
  const std::int64_t last = samples - (batches_of(experiment) - 1) * network.batch_size;
  // Of members with fewer than 2 samples on average one has a single sample.
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

}  // namespace

void open_images(Experiment& experiment, const ImagesConfig& config, const AddProblem& add) {
  const fs::path given(config.folder);
  const fs::path folder =
      given.is_absolute() ? given : fs::path(experiment.file).parent_path() / given;
  std::error_code error;
  for (const char* file : kFiles) {
    if (fs::exists(folder / file, error)) continue;
    if (fs::exists(folder / (std::string(file) + ".gz"), error)) continue;
    return add("data.folder",
               fmt::format("no {0} and no {0}.gz in '{1}'; Debian's package dataset-fashion-mnist "
                           "puts Fashion-MNIST into {2}",
                           file, folder.string(), io::kFashionMnistFolder));
  }
  const GPUContext on_host(Device::cpu());
  io::LabelledImages images = io::fashion_mnist(folder.string(), experiment.config.dtype);
  for (const std::string& file : images.files) {
    experiment.inputs.push_back(fs::path(file).lexically_normal().string());
  }
  experiment.data_path = fs::path(images.files.front()).lexically_normal().string();
  keep_first(config.train_samples, "data.train_samples", images.train_images, images.train_labels,
             add);
  keep_first(config.test_samples, "data.test_samples", images.test_images, images.test_labels, add);
  experiment.images = std::move(images);
}

void check_network(Experiment& experiment, const AddProblem& add) {
  NetworkConfig& network = *experiment.config.network;
  const bool is_images = experiment.images.has_value();
  if (!is_images && !experiment.series) return;  // which was told already
  if (!experiment.config.readouts.empty()) {
    add("readouts", "readouts read levels of a hierarchy; a network has network.target");
  }
  if (network.loss == "auto") network.loss = is_images ? "cross_entropy" : "mse";
  if (is_images != (network.loss == "cross_entropy")) {
    add("network.loss", is_images
                            ? "expected cross_entropy for images with classes, got " + network.loss
                            : "expected mse, l1 or huber for a series, got cross_entropy");
  }
  if (!is_images) check_target(experiment, add);
  for (std::size_t m = 0; m < network.layers.size(); ++m) {
    const auto* const plastic = network.layers[m].get_if<PlasticKind>();
    if (plastic == nullptr || !plastic->options.automatic_rate) continue;
    add(fmt::format("network.layers[{}].learning_rate", m),
        "auto is found for the layers of a hierarchy alone; write a number");
  }
  try {
    check(network.optimizer);
    check_batches(
        experiment,
        build_network(experiment.config, sample_shape(experiment), answer_size(experiment)), add);
  } catch (const ArgumentError& error) {
    const std::string text = error.what();
    const std::size_t colon = text.find(": ");
    const bool names_layer = text.rfind("network.layers[", 0) == 0 && colon != std::string::npos;
    add(names_layer ? text.substr(0, colon) : "network.optimizer",
        names_layer ? text.substr(colon + 2) : text);
  }
}

}  // namespace gaia
