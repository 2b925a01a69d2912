// SPDX-License-Identifier: MIT
#include "task_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/message.h"
#include "../core/names.h"

namespace gaia {
namespace {

constexpr NameTable<TaskSampling, 3> kSamplings = {
    {{"uniform", TaskSampling::uniform},
     {"curriculum", TaskSampling::curriculum},
     {"performance_weighted", TaskSampling::performance_weighted}}};

/// Draws of an episode have places of their own below this number.
constexpr std::uint64_t kDrawsOfEpisode = std::uint64_t{1} << 24;

}  // namespace

std::string to_string(TaskSampling sampling) { return name_of(kSamplings, sampling); }
TaskSampling task_sampling_from_name(std::string_view name) {
  return from_name(kSamplings, name, "task sampling");
}

TaskSampler::TaskSampler(std::int64_t tasks, const TaskSamplerOptions& options)
    : options_(options) {
  require(tasks >= 1, "[TaskSampler] expected a task or more, got {}", tasks);
  require(options.full_from >= 1, "[TaskSampler] expected full_from of 1 or more, got {}",
          options.full_from);
  require(options.uniform_share >= 0 && options.uniform_share <= 1,
          "[TaskSampler] expected a uniform_share from 0 to 1, got {}", options.uniform_share);
  scores_.assign(static_cast<std::size_t>(tasks), -std::numeric_limits<double>::infinity());
}

std::vector<double> TaskSampler::probabilities(std::int64_t episode) const {
  require(episode >= 0, "[TaskSampler] expected an episode of 0 or more, got {}", episode);
  const auto tasks = static_cast<double>(scores_.size());
  std::vector<double> result(scores_.size(), 1.0 / tasks);
  if (options_.sampling == TaskSampling::curriculum) {
    const double progress = static_cast<double>(episode) / static_cast<double>(options_.full_from);
    const double open = 1.0 + std::floor((tasks - 1.0) * std::min(1.0, progress));
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = static_cast<double>(i) < open ? 1.0 / open : 0.0;
    }
  } else if (options_.sampling == TaskSampling::performance_weighted) {
    double sum = 0.0;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const auto lower = std::count_if(scores_.begin(), scores_.end(),
                                       [&](double score) { return score < scores_[i]; });
      result[i] = 1.0 / (1.0 + static_cast<double>(lower));
      sum += result[i];
    }
    for (double& p : result) {
      p = options_.uniform_share / tasks + (1.0 - options_.uniform_share) * p / sum;
    }
  }
  return result;
}

std::vector<std::int64_t> TaskSampler::sample(std::int64_t episode, std::int64_t count) const {
  require(count >= 0 && static_cast<std::uint64_t>(count) <= kDrawsOfEpisode,
          "[TaskSampler] expected 0 to 2^24 tasks of an episode, got {}", count);
  const std::vector<double> p = probabilities(episode);
  std::vector<double> draws(static_cast<std::size_t>(count));
  options_.random.uniforms(static_cast<std::uint64_t>(episode) * kDrawsOfEpisode, draws);
  std::vector<std::int64_t> tasks;
  for (double draw : draws) {
    std::size_t task = 0, last = 0;
    for (; task < p.size(); ++task) {
      if (p[task] > 0.0) last = task;  // rounding must not lead beyond the last that can be drawn
      if (draw < p[task]) break;
      draw -= p[task];
    }
    tasks.push_back(static_cast<std::int64_t>(std::min(task, last)));
  }
  return tasks;
}

void TaskSampler::tell(std::int64_t task, double score) {
  require(task >= 0 && task < static_cast<std::int64_t>(scores_.size()),
          "[TaskSampler] expected a task from 0 to {}, got {}", scores_.size() - 1, task);
  scores_[static_cast<std::size_t>(task)] =
      std::isfinite(score) ? score : -std::numeric_limits<double>::infinity();
}

}  // namespace gaia
