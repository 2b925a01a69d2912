// SPDX-License-Identifier: MIT
/// \file
/// MetaOptimizer: finds the parameters with which learning goes well on a family of tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "../core/random.h"
#include "plasticity_controller.h"
#include "search.h"
#include "space.h"
#include "task_sampler.h"

namespace gaia {

/// A task, and the inner loop on it: `learn` makes a learner with these parameters, trains it on
/// the task with random numbers of this seed, and returns its score, the larger the better, on data
/// of the task that it did not learn from.
struct MetaTask {
  std::string name;
  PlasticityObjective learn;
};

/// Fields have the names of the guide's where it has them.
struct MetaOptimizerOptions {
  SearchMethod outer_optimizer = SearchMethod::cma_es;
  TaskSampling adaptation_strategy = TaskSampling::uniform;
  std::int64_t tasks_per_episode = 4;
  std::int64_t seeds_per_task = 1;  ///< Runs of a candidate on each task of an episode.
  /// Episodes after which tasks and seeds are drawn anew.
  std::int64_t task_switch_frequency = 1;
  /// Ends with the episode whose performance reaches it.
  double performance_threshold = std::numeric_limits<double>::infinity();
  double adaptation_rate = 1.0;      ///< Value of PlasticityControllerOptions.
  double exploration_noise = 0.3;    ///< The same.
  std::int64_t population_size = 0;  ///< The same.
  std::vector<double> start = {};    ///< The same.
  /// Seeds with which parameters are judged on every task before they are taken on.  Of few of them
  /// luck decides: the search has seen other seeds in each episode.
  std::vector<std::uint64_t> validation_seeds = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  double curriculum_share = 0.5;  ///< Share of the episodes after which a curriculum has all tasks.
  double uniform_share = 0.2;     ///< Share of draws that are uniform (TaskSamplerOptions).
  RandomStream random = next_stream();
};

struct MetaEpisode {
  std::vector<std::int64_t> tasks;  ///< What was drawn.
  std::vector<double> candidate;    ///< The best of the episode.
  double fitness = 0.0;             ///< Its mean score over what was drawn.
  double validation = 0.0;          ///< Over all tasks with the validation seeds.
  bool is_taken = false;            ///< Whether it became the best so far.
};

struct MetaResult {
  std::vector<double> meta_parameters;   ///< The best ones, in the order of the space.
  double performance = 0.0;              ///< Their mean score on all tasks, validation seeds.
  std::vector<double> task_performance;  ///< The same on each task.
  /// performance at the start and after each episode; it does not fall.
  std::vector<double> learning_history;
  std::vector<MetaEpisode> episodes;
  std::int64_t runs = 0;  ///< Number of inner loops.
  std::string why_stopped;
};

/// Two loops.  The inner one is MetaTask::learn.  The outer one is a Search over the parameters: in
/// each episode tasks and seeds are drawn, every candidate of a generation learns on the same of
/// them, and the search is told the means of their scores.  A generation on easy tasks has better
/// scores than one on hard tasks, so these decide only which of its candidates is best; that one is
/// judged on all tasks with the validation seeds, and becomes the best so far where it is above the
/// former there, the first of which is the start.  Means are of scores as they come, so a task
/// whose scores differ more weighs more.
///
/// Tell the score of what was found on tasks and seeds that were never used.  The same options and
/// scores give the same candidates, tasks and seeds.
class MetaOptimizer {
 public:
  /// \throws ArgumentError for an option out of its range.
  explicit MetaOptimizer(SearchSpace space, MetaOptimizerOptions options = {});

  /// Runs episodes from the start, whatever was trained before.  Tasks are in the order that a
  /// curriculum has.  \throws ArgumentError without episodes or tasks, or for a task that cannot be
  /// called.
  MetaResult meta_train(std::int64_t episodes, std::span<const MetaTask> tasks) const;

 private:
  SearchSpace space_;
  MetaOptimizerOptions options_;
};

}  // namespace gaia
