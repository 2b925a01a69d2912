// SPDX-License-Identifier: MIT
#include "../../src/search/meta_optimizer.h"

#include <cmath>
#include <limits>
#include <set>

#include "../../src/core/error.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

using Values = std::vector<double>;
using Parameters = std::span<const double>;

SearchSpace one_rate() { return SearchSpace({SearchParameter::log("rate", 1e-4, 1)}); }

/// A task that is best at this rate, with noise by the seed.
MetaTask best_at(const char* name, double rate, double noise = 0.0) {
  return {name, [=](Parameters p, std::uint64_t seed) {
            std::vector<double> draw(1);
            RandomStream{seed, 1}.normals(0, draw);
            return 1 - std::pow(std::log10(p[0] / rate), 2) + noise * draw[0];
          }};
}

std::vector<MetaTask> three_tasks(double noise = 0.0) {
  return {best_at("slow", 0.003, noise), best_at("middle", 0.01, noise),
          best_at("fast", 0.1, noise)};
}

}  // namespace

TEST_CASE("meta-training finds the parameters that are best over all tasks") {
  const TaskSampling sampling =
      GENERATE(TaskSampling::uniform, TaskSampling::curriculum, TaskSampling::performance_weighted);
  const SearchMethod method = GENERATE(SearchMethod::cma_es, SearchMethod::random);
  CAPTURE(to_string(sampling));
  const MetaOptimizer meta(one_rate(), {.outer_optimizer = method,
                                        .adaptation_strategy = sampling,
                                        .start = {0.5},
                                        .random = {3, 1}});
  const MetaResult found = meta.meta_train(40, three_tasks(0.05));
  // The mean of the three logarithms.
  const double best = std::cbrt(0.003 * 0.01 * 0.1);
  CHECK(std::abs(std::log10(found.meta_parameters[0] / best)) < 0.15);
  CHECK(found.episodes.size() == 40);
  CHECK(found.learning_history.size() == 41);
  for (std::size_t e = 1; e < found.learning_history.size(); ++e) {
    CHECK(found.learning_history[e] >= found.learning_history[e - 1]);
  }
  REQUIRE(found.task_performance.size() == 3);
  CHECK(found.performance ==
        Approx((found.task_performance[0] + found.task_performance[1] + found.task_performance[2]) /
               3)
            .epsilon(1e-12));
  CHECK(found.why_stopped == "all episodes are done");
  std::set<std::int64_t> seen;
  for (const MetaEpisode& episode : found.episodes) {
    CHECK(episode.tasks.size() == 4);
    seen.insert(episode.tasks.begin(), episode.tasks.end());
    if (episode.is_taken) CHECK(episode.validation <= found.performance);
  }
  CHECK(seen.size() == 3);
}

TEST_CASE(
    "all candidates of an episode learn on the same tasks and seeds, each with its own score") {
  // What was run, in order.
  struct Run {
    std::int64_t task;
    double rate;
    std::uint64_t seed;
  };
  std::vector<Run> runs;
  std::vector<MetaTask> tasks;
  for (std::int64_t task = 0; task < 5; ++task) {
    tasks.push_back({std::to_string(task), [&runs, task](Parameters p, std::uint64_t seed) {
                       runs.push_back({task, p[0], seed});
                       return std::log(p[0]);
                     }});
  }
  const MetaOptimizer meta(one_rate(), {.tasks_per_episode = 3,
                                        .seeds_per_task = 2,
                                        .task_switch_frequency = 2,
                                        .population_size = 4,
                                        .start = {0.01},
                                        .validation_seeds = {77},
                                        .random = {1, 1}});
  const MetaResult found = meta.meta_train(4, tasks);
  CHECK(found.runs == static_cast<std::int64_t>(runs.size()));
  REQUIRE(runs.size() == 5 + 4 * (4 * 6 + 5));
  std::vector<std::vector<std::pair<std::int64_t, std::uint64_t>>> of_episode;
  std::set<std::uint64_t> seeds;
  for (std::size_t e = 0; e < 4; ++e) {
    const std::size_t first = 5 + e * 29;
    std::set<double> rates;
    auto& drawn = of_episode.emplace_back();
    for (std::size_t k = 0; k < 6; ++k) {
      drawn.push_back({runs[first + k].task, runs[first + k].seed});
      seeds.insert(runs[first + k].seed);
      CHECK(runs[first + k].task == found.episodes[e].tasks[k / 2]);
    }
    for (std::size_t c = 0; c < 4; ++c) {
      rates.insert(runs[first + 6 * c].rate);
      for (std::size_t k = 0; k < 6; ++k) {
        const Run& run = runs[first + 6 * c + k];
        CHECK(run.rate == runs[first + 6 * c].rate);
        CHECK(std::pair(run.task, run.seed) == drawn[k]);
      }
    }
    CHECK(rates.size() == 4);
    // The best of them, on every task with the validation seed.
    for (std::size_t task = 0; task < 5; ++task) {
      const Run& run = runs[first + 24 + task];
      CHECK(run.task == static_cast<std::int64_t>(task));
      CHECK(run.seed == 77);
      CHECK(run.rate == *rates.rbegin());
    }
  }
  CHECK(of_episode[0] == of_episode[1]);
  CHECK(of_episode[2] == of_episode[3]);
  CHECK(of_episode[0] != of_episode[2]);
  CHECK(seeds.size() == 12);
}

TEST_CASE("meta-training is the same again, and another with another stream") {
  const MetaOptimizer meta(one_rate(), {.random = {8, 1}});
  const MetaResult one = meta.meta_train(10, three_tasks(0.1));
  const MetaResult two = meta.meta_train(10, three_tasks(0.1));
  CHECK(one.meta_parameters == two.meta_parameters);
  CHECK(one.learning_history == two.learning_history);
  const MetaResult other =
      MetaOptimizer(one_rate(), {.random = {9, 1}}).meta_train(10, three_tasks(0.1));
  CHECK(one.meta_parameters != other.meta_parameters);
}

TEST_CASE("where all tasks are flat nothing drifts, and a threshold ends the episodes") {
  const std::vector<MetaTask> flat = {{"flat", [](Parameters, std::uint64_t) { return 0.25; }}};
  const MetaResult still =
      MetaOptimizer(one_rate(), {.start = {0.02}, .random = {1, 1}}).meta_train(30, flat);
  CHECK(still.meta_parameters == Values{0.02});
  CHECK(still.performance == 0.25);
  const MetaResult soon =
      MetaOptimizer(one_rate(), {.performance_threshold = 0.4, .start = {0.5}, .random = {1, 1}})
          .meta_train(100, three_tasks());
  CHECK(soon.why_stopped == "the performance threshold is reached");
  CHECK(soon.performance >= 0.4);
  CHECK(soon.episodes.size() < 100);
  CHECK(soon.learning_history[soon.learning_history.size() - 2] < 0.4);
}

TEST_CASE("a learner that fails on a task is worse than one that does not") {
  std::vector<MetaTask> tasks = three_tasks();
  tasks.push_back({"fails", [](Parameters p, std::uint64_t) {
                     return p[0] > 0.01 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
                   }});
  const MetaResult found =
      MetaOptimizer(one_rate(), {.tasks_per_episode = 12, .start = {0.5}, .random = {1, 1}})
          .meta_train(30, tasks);
  CHECK(std::isnan(found.learning_history[0]));
  CHECK(found.meta_parameters[0] <= 0.01);
  CHECK(found.meta_parameters[0] > 0.008);
}

TEST_CASE("meta-training that cannot work is refused") {
  const auto make = [](MetaOptimizerOptions options) {
    MetaOptimizer(one_rate(), std::move(options));
  };
  CHECK_THROWS_WITH_TEXT(make({.tasks_per_episode = 0}), ArgumentError,
                         "[MetaOptimizer] expected tasks_per_episode of 1 or more, got 0");
  CHECK_THROWS_WITH_TEXT(make({.seeds_per_task = 0}), ArgumentError, "seeds_per_task");
  CHECK_THROWS_WITH_TEXT(make({.task_switch_frequency = 0}), ArgumentError,
                         "task_switch_frequency");
  CHECK_THROWS_WITH_TEXT(make({.validation_seeds = {}}), ArgumentError, "a validation seed");
  CHECK_THROWS_WITH_TEXT(make({.curriculum_share = 0}), ArgumentError, "curriculum_share above 0");
  CHECK_THROWS_WITH_TEXT(make({.uniform_share = 2}), ArgumentError, "uniform_share from 0 to 1");
  CHECK_THROWS_WITH_TEXT(make({.start = {3}}), ArgumentError, "parameter 'rate'");
  const MetaOptimizer meta(one_rate());
  CHECK_THROWS_WITH_TEXT(meta.meta_train(0, three_tasks()), ArgumentError, "an episode or more");
  CHECK_THROWS_WITH_TEXT(meta.meta_train(1, {}), ArgumentError, "a task or more, got none");
  CHECK_THROWS_WITH_TEXT(meta.meta_train(1, std::vector<MetaTask>{{"empty", nullptr}}),
                         ArgumentError, "an empty function for 'empty'");
}
