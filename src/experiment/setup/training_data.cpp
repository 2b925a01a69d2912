// SPDX-License-Identifier: MIT
#include "training_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "../../array/create.h"
#include "../../array/indexing.h"
#include "../../array/joining.h"
#include "../../array/ops.h"
#include "../../array/reductions.h"
#include "../../core/random.h"
#include "../../learning/class_weights.h"

namespace gaia {
namespace {

std::int64_t validation_count(std::int64_t count, double share) {
  return std::llround(share * static_cast<double>(count));
}

/// Those of these numbers, on the device where all are.
Array images_at(const Array& all, const std::vector<std::int64_t>& numbers) {
  const GPUContext there(all.device());
  return take(all, from_values(numbers, {std::ssize(numbers)}), 0);
}

TrainingData of_images(const Experiment& experiment) {
  const auto part = [&](const Array& images) {
    return with_colours(images.astype(experiment.config.dtype));
  };
  const io::LabelledImages& images = *experiment.images;
  const NetworkConfig& network = *experiment.config.network();
  TrainingData data;
  data.train_x = part(images.train_images);
  data.train_y = images.train_labels;
  data.test_x = part(images.test_images);
  data.test_y = images.test_labels;
  data.classes = answer_size(experiment);
  if (network.validation > 0.0) {
    const std::int64_t count = data.train_y.size();
    std::vector<std::int64_t> kept =
        validation_images(count, network.validation, experiment.config.seed);
    std::vector<std::int64_t> rest;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!std::binary_search(kept.begin(), kept.end(), i)) rest.push_back(i);
    }
    ValidationData& validation = data.validation.emplace();
    validation.x = images_at(data.train_x, kept);
    validation.y = images_at(data.train_y, kept);
    validation.places = std::move(kept);
    data.train_x = images_at(data.train_x, rest);
    data.train_y = images_at(data.train_y, rest);
  }
  if (network.class_weight == ClassWeight::balanced) {
    data.class_weights =
        balanced_class_weights(data.train_y.to_vector<std::int64_t>(), data.classes);
  }
  return data;
}

/// Samples of a trial after which the target is still within it.
std::int64_t known_in(const Trial& trial, std::int64_t horizon) {
  return std::max<std::int64_t>(0, trial.steps - horizon);
}

/// The rows of these stretches, one after the other.
Array rows_of(const Array& all, const Stretches& stretches) {
  if (stretches.size() == 1) return all.slice(0, stretches[0].begin, stretches[0].end);
  std::vector<Array> parts;
  for (const Stretch& one : stretches) parts.push_back(all.slice(0, one.begin, one.end));
  return parts.empty() ? all.slice(0, 0, 0) : concatenate(parts, 0);
}

template <class T>
std::vector<T> numbers_of(const std::vector<T>& all, const Stretches& stretches) {
  std::vector<T> found;
  for (const Stretch& one : stretches) {
    found.insert(found.end(), all.begin() + one.begin, all.begin() + one.end);
  }
  return found;
}

/// Which samples, of those with a target, are trained on, validated by and tested with: none of a
/// target that was missing and is filled.
struct Parts {
  Stretches training;
  Stretches validation;
  Stretches test;
};

Parts measured_parts(const Experiment& experiment) {
  const NetworkTarget& target = experiment.config.network()->target;
  Stretches measured;
  std::int64_t before = 0;  // samples of earlier trials
  for (const Trial& trial : experiment.trials.all()) {
    const std::int64_t count = known_in(trial, target.horizon);
    const std::int64_t row =
        trial.newest_row(trial.first_step, experiment.config.data.window) + target.horizon;
    std::int64_t next = 0;
    const auto take_until = [&](std::int64_t end) {
      append(measured, {before + next, before + end});
    };
    if (!target.of_latent && count > 0) {
      for (const RowRange& gap : experiment.series->filled(target.index, row, count)) {
        take_until(gap.begin - row);
        next = gap.end - row;
      }
    }
    take_until(count);
    before += count;
  }
  const ReadoutTicks parts = network_ticks(experiment);
  return {intersection(parts.training(), measured), intersection(parts.validation(), measured),
          intersection(parts.test(), measured)};
}

TrainingData of_series(Experiment& experiment) {
  const ExperimentConfig& config = experiment.config;
  const NetworkTarget& target = config.network()->target;
  const Parts parts = measured_parts(experiment);
  SampleReader samples(*experiment.series, config.data, experiment.trials, config.dtype,
                       {.ahead = target.horizon}, target.of_latent);
  const SeriesSamples read = read_series_samples(experiment, samples);
  const Array y = from_values(read.targets, {std::ssize(read.targets), 1}).astype(config.dtype);
  TrainingData data;
  data.train_x = rows_of(read.x, parts.training);
  data.train_y = rows_of(y, parts.training);
  data.test_x = rows_of(read.x, parts.test);
  data.test_y = rows_of(y, parts.test);
  data.test_rows = numbers_of(read.rows, parts.test);
  const std::vector<double> known = numbers_of(read.targets, parts.training);
  data.baseline = series_baseline(target.horizon, numbers_of(read.now, parts.test), known);
  if (config.network()->validation > 0.0) {
    data.validation = {
        .x = rows_of(read.x, parts.validation),
        .y = rows_of(y, parts.validation),
        .places = numbers_of(read.rows, parts.validation),
        .baseline = series_baseline(target.horizon, numbers_of(read.now, parts.validation), known)};
  }
  data.scaling = {samples.offset(), samples.scale()};
  return data;
}

}  // namespace

Array with_colours(const Array& images) {
  return images.rank() == 3 ? images.expand_dims(1) : images;
}

Shape sample_shape(const Experiment& experiment) {
  if (experiment.images) {
    Shape shape = with_colours(experiment.images->train_images).shape();
    shape.erase(0);
    return shape;
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

ReadoutTicks network_ticks(const Experiment& experiment) {
  const NetworkConfig& network = *experiment.config.network();
  ReadoutConfig readout;
  if (network.validation > 0.0) {
    // The end of what would be trained on without it.
    readout.split.is_map = true;
    readout.split.train = network.split * (1.0 - network.validation);
    readout.split.validation = network.split - readout.split.train;
    readout.split.test = 1.0 - network.split;
  } else {
    readout.split.share = network.split;
  }
  readout.target.horizon = network.target.horizon;
  return {readout,
          experiment.trials,
          {.spacing = 1, .purge = experiment.config.data.window + network.target.horizon}};
}

std::vector<std::int64_t> validation_images(std::int64_t count, double share, std::int64_t seed) {
  std::vector<double> drawn(static_cast<std::size_t>(count));
  RandomStream::named(static_cast<std::uint64_t>(seed), "data/validation").uniforms(0, drawn);
  std::vector<std::int64_t> order(drawn.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::ranges::stable_sort(
      order, {}, [&](std::int64_t image) { return drawn[static_cast<std::size_t>(image)]; });
  order.resize(static_cast<std::size_t>(validation_count(count, share)));
  std::ranges::sort(order);
  return order;
}

SampleCounts sample_counts(const Experiment& experiment) {
  if (experiment.images) {
    const std::int64_t all = experiment.images->train_labels.size();
    const std::int64_t kept = validation_count(all, experiment.config.network()->validation);
    return {.train = all - kept, .test = experiment.images->test_labels.size(), .validation = kept};
  }
  const Parts parts = measured_parts(experiment);
  return {.train = count_of(parts.training),
          .test = count_of(parts.test),
          .purged = network_ticks(experiment).purged(),
          .validation = count_of(parts.validation)};
}

SeriesSamples read_series_samples(const Experiment& experiment, SampleReader& samples,
                                  const SamplesWanted& wanted) {
  const NetworkTarget& target = experiment.config.network()->target;
  const std::int64_t window = experiment.config.data.window;
  SeriesSamples all;
  std::vector<Array> parts;
  for (const Trial& trial : experiment.trials.all()) {
    const std::int64_t known = wanted.targets ? known_in(trial, target.horizon) : 0;
    std::int64_t count = wanted.without_target ? trial.steps : known;
    if (wanted.most) count = std::min(count, *wanted.most - std::ssize(all.rows));
    if (count < 1) continue;
    parts.push_back(samples.read(trial.first_step, count).copy());
    for (std::int64_t i = 0; i < count; ++i) {
      all.rows.push_back(trial.newest_row(trial.first_step + i, window));
    }
    const auto add = [&](std::vector<double>& to, std::int64_t first, bool with_filled) {
      const std::int64_t there = std::min(known, count);
      if (there > 0) {
        const std::vector<double> shown =
            target.of_latent ? samples.latent(target.index, first, there)
            : with_filled    ? samples.channel(target.index, first, there)
                             : samples.measured(target.index, first, there);
        to.insert(to.end(), shown.begin(), shown.end());
      }
      to.resize(all.rows.size(), std::numeric_limits<double>::quiet_NaN());
    };
    add(all.targets, trial.first_step + target.horizon, false);
    add(all.now, trial.first_step, true);
  }
  const auto count = std::ssize(all.rows);
  const Shape shape{count, window, experiment.series->channels()};
  all.x =
      parts.empty() ? zeros(shape, experiment.config.dtype) : concatenate(parts, 0).reshape(shape);
  return all;
}

std::int64_t batches_of(const Experiment& experiment) {
  const std::int64_t size = experiment.config.network()->batch_size;
  return (sample_counts(experiment).train + size - 1) / size;
}

SeriesBaseline series_baseline(std::int64_t horizon, std::vector<double> now,
                               const std::vector<double>& known) {
  if (horizon > 0) return {.answers = std::move(now), .overlap = horizon};
  double mean = 0.0;
  for (const double y : known) mean += (y - known.front()) / static_cast<double>(known.size());
  return {kMeanBaseline, std::vector<double>(now.size(), known.front() + mean)};
}

TrainingData read_training_data(Experiment& experiment) {
  return experiment.images ? of_images(experiment) : of_series(experiment);
}

}  // namespace gaia
