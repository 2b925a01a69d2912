// SPDX-License-Identifier: MIT
#include "meta_optimizer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../core/message.h"

namespace gaia {
namespace {

RandomStream stream_for(const RandomStream& random, const std::string& purpose) {
  return RandomStream::named(random.seed, std::to_string(random.stream) + "/meta/" + purpose);
}

/// The mean, or NaN where a score is not finite.
double mean_of(std::span<const double> scores) {
  double sum = 0.0;
  for (const double score : scores) sum += score;
  return std::isfinite(sum) ? sum / static_cast<double>(scores.size())
                            : std::numeric_limits<double>::quiet_NaN();
}

SearchOptions search_options(const MetaOptimizerOptions& options) {
  return {.method = options.outer_optimizer,
          .evaluations = std::numeric_limits<std::int64_t>::max(),
          .population = options.population_size,
          .start = options.start,
          .step = options.exploration_noise,
          .mean_rate = options.adaptation_rate,
          .random = stream_for(options.random, "candidates")};
}

/// What an episode is run on.
struct Draw {
  std::int64_t task = 0;
  std::uint64_t seed = 0;
};

/// Seed `index` of a stream.
std::uint64_t seed_of(const RandomStream& stream, std::uint64_t index) {
  const auto words = stream.block(index);
  return (std::uint64_t{words[0]} << 32) | words[1];
}

}  // namespace

MetaOptimizer::MetaOptimizer(SearchSpace space, MetaOptimizerOptions options)
    : space_(std::move(space)), options_(std::move(options)) {
  require(options_.tasks_per_episode >= 1,
          "[MetaOptimizer] expected tasks_per_episode of 1 or more, got {}",
          options_.tasks_per_episode);
  require(options_.seeds_per_task >= 1,
          "[MetaOptimizer] expected seeds_per_task of 1 or more, got {}", options_.seeds_per_task);
  require(options_.task_switch_frequency >= 1,
          "[MetaOptimizer] expected task_switch_frequency of 1 or more, got {}",
          options_.task_switch_frequency);
  require(!std::isnan(options_.performance_threshold),
          "[MetaOptimizer] expected a performance_threshold that is a number, got nan");
  require(!options_.validation_seeds.empty(),
          "[MetaOptimizer] expected a validation seed or more, got none");
  require(options_.curriculum_share > 0 && options_.curriculum_share <= 1,
          "[MetaOptimizer] expected a curriculum_share above 0 and up to 1, got {}",
          options_.curriculum_share);
  TaskSampler(1, {.uniform_share = options_.uniform_share, .random = options_.random});
  Search(space_, search_options(options_));
}

MetaResult MetaOptimizer::meta_train(std::int64_t episodes, std::span<const MetaTask> tasks) const {
  require(episodes >= 1, "[MetaOptimizer] expected an episode or more, got {}", episodes);
  require(!tasks.empty(), "[MetaOptimizer] expected a task or more, got none");
  for (const MetaTask& task : tasks) {
    require(static_cast<bool>(task.learn),
            "[MetaOptimizer] expected tasks that can be called, got {}",
            "an empty function for '" + task.name + "'");
  }
  const auto count = static_cast<std::int64_t>(tasks.size());
  const auto full_from = static_cast<std::int64_t>(
      std::ceil(options_.curriculum_share * static_cast<double>(episodes)));
  TaskSampler sampler(count, {.sampling = options_.adaptation_strategy,
                              .full_from = std::max<std::int64_t>(1, full_from),
                              .uniform_share = options_.uniform_share,
                              .random = stream_for(options_.random, "tasks")});
  const RandomStream seeds = stream_for(options_.random, "seeds");
  Search outer(space_, search_options(options_));
  MetaResult result;
  const auto learn = [&](const std::vector<double>& parameters, std::int64_t task,
                         std::uint64_t seed) {
    ++result.runs;
    return tasks[static_cast<std::size_t>(task)].learn(parameters, seed);
  };
  // On every task with the validation seeds.
  const auto validate = [&](const std::vector<double>& parameters) {
    std::vector<double> scores;
    for (std::int64_t task = 0; task < count; ++task) {
      std::vector<double> of_seeds;
      for (const std::uint64_t seed : options_.validation_seeds) {
        of_seeds.push_back(learn(parameters, task, seed));
      }
      scores.push_back(mean_of(of_seeds));
    }
    return scores;
  };

  result.meta_parameters = options_.start;
  if (result.meta_parameters.empty()) {
    result.meta_parameters =
        space_.values(std::vector<double>(static_cast<std::size_t>(space_.size()), 0.5));
  }
  result.task_performance = validate(result.meta_parameters);
  result.performance = mean_of(result.task_performance);
  result.learning_history.push_back(result.performance);
  result.why_stopped = "all episodes are done";

  std::vector<Draw> draws;
  for (std::int64_t e = 0; e < episodes; ++e) {
    if (e % options_.task_switch_frequency == 0) {
      draws.clear();
      for (const std::int64_t task : sampler.sample(e, options_.tasks_per_episode)) {
        for (std::int64_t k = 0; k < options_.seeds_per_task; ++k) {
          const std::int64_t drawn = options_.tasks_per_episode * options_.seeds_per_task;
          const auto index = static_cast<std::uint64_t>(e * drawn) + draws.size();
          draws.push_back({task, seed_of(seeds, index)});
        }
      }
    }
    const std::vector<std::vector<double>> candidates = outer.ask();
    std::vector<std::vector<double>> scores(candidates.size());  // [candidates, draws]
    std::vector<double> objectives;
    std::size_t best = 0;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      for (const Draw& draw : draws) {
        scores[c].push_back(learn(candidates[c], draw.task, draw.seed));
      }
      objectives.push_back(-mean_of(scores[c]));
      const bool is_first = std::isnan(objectives[best]) && !std::isnan(objectives[c]);
      if (is_first || objectives[c] < objectives[best]) best = c;
    }
    outer.tell(objectives);
    for (std::int64_t task = 0; task < count; ++task) {
      double sum = 0.0;
      std::int64_t finite = 0;
      bool is_drawn = false;
      for (std::size_t d = 0; d < draws.size(); ++d) {
        if (draws[d].task != task) continue;
        is_drawn = true;
        for (const std::vector<double>& of_candidate : scores) {
          if (!std::isfinite(of_candidate[d])) continue;
          sum += of_candidate[d];
          ++finite;
        }
      }
      if (is_drawn)
        sampler.tell(task, finite > 0 ? sum / static_cast<double>(finite)
                                      : std::numeric_limits<double>::quiet_NaN());
    }

    MetaEpisode& episode = result.episodes.emplace_back();
    for (std::size_t d = 0; d < draws.size();
         d += static_cast<std::size_t>(options_.seeds_per_task)) {
      episode.tasks.push_back(draws[d].task);
    }
    episode.candidate = candidates[best];
    episode.fitness = -objectives[best];
    const std::vector<double> validated = validate(candidates[best]);
    episode.validation = mean_of(validated);
    episode.is_taken =
        !std::isnan(episode.validation) && !(episode.validation <= result.performance);
    if (episode.is_taken) {
      result.meta_parameters = candidates[best];
      result.task_performance = validated;
      result.performance = episode.validation;
    }
    result.learning_history.push_back(result.performance);
    if (result.performance >= options_.performance_threshold) {
      result.why_stopped = "the performance threshold is reached";
      break;
    }
  }
  return result;
}

}  // namespace gaia
