// SPDX-License-Identifier: MIT
#include "task_sequence.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "../../array/create.h"
#include "../../array/indexing.h"
#include "../../core/random.h"

namespace gaia {

TaskSequence::TaskSequence(const Experiment& experiment) {
  const std::int64_t tasks = experiment.config.data.permuted_tasks;
  if (tasks == 0 || !experiment.images) return;
  const Shape& images = experiment.images->train_images.shape();
  std::int64_t pixels = 1;
  for (int axis = 1; axis < images.rank(); ++axis) pixels *= images[axis];
  const RandomStream random =
      RandomStream::named(static_cast<std::uint64_t>(experiment.config.seed), "data/tasks");
  std::vector<std::int64_t> all;
  std::vector<double> drawn(static_cast<std::size_t>(pixels));
  for (std::int64_t task = 0; task < tasks; ++task) {
    std::vector<std::int64_t> one(drawn.size());
    std::iota(one.begin(), one.end(), std::int64_t{0});
    if (task > 0) {
      random.uniforms(static_cast<std::uint64_t>(task * pixels), drawn);
      std::ranges::stable_sort(
          one, {}, [&](std::int64_t pixel) { return drawn[static_cast<std::size_t>(pixel)]; });
    }
    all.insert(all.end(), one.begin(), one.end());
  }
  const GPUContext host(Device::cpu());
  permutation_ = from_values(all, {tasks, pixels});
}

Array TaskSequence::shown(const Array& samples, std::int64_t task) const {
  if (!is_sequence() || task == 0 || samples.shape(0) == 0) return samples;
  const Array pixels = permutation_[task].contiguous().to(samples.device());
  const GPUContext scope(samples.device());
  const Array flat = samples.contiguous().reshape({samples.shape(0), pixels.size()});
  return take(flat, pixels, 1).reshape(samples.shape());
}

std::int64_t all_epochs(const ExperimentConfig& config) {
  return config.network()->epochs * std::max<std::int64_t>(1, config.data.permuted_tasks);
}

TaskScores task_scores(const std::vector<double>& accuracies, std::int64_t tasks) {
  const auto at = [&](std::int64_t trained, std::int64_t tested) {
    return accuracies[static_cast<std::size_t>(trained * tasks + tested)];
  };
  TaskScores scores;
  for (std::int64_t j = 0; j < tasks; ++j) {
    scores.mean_accuracy += at(tasks - 1, j) / static_cast<double>(tasks);
    if (j == tasks - 1) break;
    double best = at(j, j);
    for (std::int64_t k = j; k < tasks - 1; ++k) best = std::max(best, at(k, j));
    scores.forgetting += (best - at(tasks - 1, j)) / static_cast<double>(tasks - 1);
  }
  if (tasks == 1) scores.forgetting = std::numeric_limits<double>::quiet_NaN();
  return scores;
}

}  // namespace gaia
