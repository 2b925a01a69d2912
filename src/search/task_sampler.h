// SPDX-License-Identifier: MIT
/// \file
/// Which tasks an episode of meta-learning takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../core/random.h"

namespace gaia {

enum class TaskSampling {
  uniform,               ///< Every task alike.
  curriculum,            ///< The first task alone, then more and more of them, in their order.
  performance_weighted,  ///< More often those whose score is low.
};

std::string to_string(TaskSampling sampling);
/// \throws ArgumentError for a name that is none of "uniform", "curriculum" and
/// "performance_weighted".
TaskSampling task_sampling_from_name(std::string_view name);

struct TaskSamplerOptions {
  TaskSampling sampling = TaskSampling::uniform;
  /// First episode in which curriculum takes all tasks, 1 or more.
  std::int64_t full_from = 25;
  /// Share of the draws of performance_weighted that go to all tasks alike, 0 to 1, so that each is
  /// drawn now and then.
  double uniform_share = 0.2;
  RandomStream random = next_stream();
};

/// Draws tasks, with replacement.  Draw k of an episode follows from the stream, the episode, k and
/// the probabilities alone.
///
/// With T tasks, in episode e the probability of task i, both from 0, is
///     uniform               1 / T
///     curriculum            1 / m for i < m, m = 1 + floor((T - 1) min(1, e / full_from)): tasks
///                           are given from easy to hard; Bengio, Louradour, Collobert & Weston
///                           (2009), ICML, 41-48
///     performance_weighted  u / T + (1 - u) (1 / r_i) / sum_k (1 / r_k), u = uniform_share,
///                           r_i = 1 + the number of tasks with a lower score, one without a score
///                           being lowest; by ranks as in Schaul, Quan, Antonoglou & Silver (2016),
///                           ICLR, and Jiang, Grefenstette & Rocktaeschel (2021), ICML, 4940-4950.
///                           Ranks compare scores of tasks with each other, so these should be
///                           shares of what can be had, or the like
class TaskSampler {
 public:
  /// \throws ArgumentError for no tasks, or an option out of its range.
  TaskSampler(std::int64_t tasks, const TaskSamplerOptions& options = {});

  /// [tasks], which sum to 1.  \throws ArgumentError for a negative episode.
  std::vector<double> probabilities(std::int64_t episode) const;
  /// `count` tasks.  \throws ArgumentError for a negative episode or count.
  std::vector<std::int64_t> sample(std::int64_t episode, std::int64_t count) const;
  /// The last score of a task; one that is not finite is lower than all.
  /// \throws ArgumentError for a task that there is not.
  void tell(std::int64_t task, double score);

 private:
  TaskSamplerOptions options_;
  std::vector<double> scores_;  ///< Minus infinity: none yet.
};

}  // namespace gaia
