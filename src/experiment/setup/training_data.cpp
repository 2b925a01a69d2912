// SPDX-License-Identifier: MIT
#include "training_data.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../array/reductions.h"
#include "sample_reader.h"

namespace gaia {
namespace {

TrainingData of_images(const Experiment& experiment) {
  const auto part = [&](const Array& images) {
    return images.astype(experiment.config.dtype).expand_dims(1);
  };
  const io::LabelledImages& images = *experiment.images;
  TrainingData data;
  data.train_x = part(images.train_images);
  data.train_y = images.train_labels;
  data.test_x = part(images.test_images);
  data.test_y = images.test_labels;
  data.classes = answer_size(experiment);
  return data;
}

TrainingData of_series(Experiment& experiment) {
  const ExperimentConfig& config = experiment.config;
  const NetworkTarget& target = config.network->target;
  const SampleCounts counts = sample_counts(experiment);
  const std::int64_t all = counts.train + counts.test;
  SampleReader samples(*experiment.series, config.data, experiment.trials, config.dtype,
                       {.ahead = target.horizon}, target.of_latent);
  const Array x =
      samples.read(0, all).reshape({all, config.data.window, experiment.series->channels()}).copy();
  const auto shown = [&](std::int64_t first, std::int64_t count) {
    return target.of_latent ? samples.latent(target.index, first, count)
                            : samples.channel(target.index, first, count);
  };
  std::vector<double> targets = shown(target.horizon, all);
  const Array y = from_values(targets, {all, 1}).astype(config.dtype);
  TrainingData data;
  data.train_x = x.slice(0, 0, counts.train);
  data.train_y = y.slice(0, 0, counts.train);
  data.test_x = x.slice(0, counts.train, all);
  data.test_y = y.slice(0, counts.train, all);
  data.first_test = counts.train + config.data.window - 1;
  targets.resize(static_cast<std::size_t>(counts.train));
  data.baseline = series_baseline(target.horizon, shown(counts.train, counts.test), targets);
  data.scaling = {samples.offset(), samples.scale()};
  return data;
}

}  // namespace

Shape sample_shape(const Experiment& experiment) {
  if (experiment.images) {
    const Shape& images = experiment.images->train_images.shape();
    return {1, images[1], images[2]};
  }
  return {experiment.config.data.window, experiment.series->channels()};
}

std::int64_t answer_size(const Experiment& experiment) {
  if (!experiment.images) return 1;
  if (experiment.classes) return *experiment.classes;
  const io::LabelledImages& images = *experiment.images;
  const double highest = std::max(max(images.train_labels).item(), max(images.test_labels).item());
  return static_cast<std::int64_t>(highest) + 1;
}

SampleCounts sample_counts(const Experiment& experiment) {
  if (experiment.images) {
    return {experiment.images->train_labels.size(), experiment.images->test_labels.size()};
  }
  const NetworkConfig& network = *experiment.config.network;
  const std::int64_t all = std::max<std::int64_t>(0, experiment.steps - network.target.horizon);
  const auto train =
      static_cast<std::int64_t>(std::floor(network.split * static_cast<double>(all)));
  return {train, all - train};
}

std::int64_t batches_of(const Experiment& experiment) {
  const std::int64_t size = experiment.config.network->batch_size;
  return (sample_counts(experiment).train + size - 1) / size;
}

SeriesBaseline series_baseline(std::int64_t horizon, std::vector<double> now,
                               const std::vector<double>& known) {
  if (horizon > 0) return {.answers = std::move(now)};
  double mean = 0.0;
  for (const double y : known) mean += (y - known.front()) / static_cast<double>(known.size());
  return {kMeanBaseline, std::vector<double>(now.size(), known.front() + mean)};
}

TrainingData read_training_data(Experiment& experiment) {
  return experiment.images ? of_images(experiment) : of_series(experiment);
}

}  // namespace gaia
