// SPDX-License-Identifier: MIT
/// \file
/// Parameters of rules, searched by what runs of true layers are worth.  bench_search does the same
/// with more seeds and budgets; its figures are in docs/search.md.
#include <cmath>
#include <set>

#include "../../benchmarks/search_runs.h"
#include "../../src/search/meta_optimizer.h"
#include "../../src/search/plasticity_controller.h"
#include "../support/catch.h"

using namespace gaia;
using namespace gaia::runs;

TEST_CASE("Oja's rate and BCM's tau are found better by CMA-ES than at random, in 18 of 20 seeds") {
  const SearchedRule rule = GENERATE(oja_rate(), bcm_tau());
  const Duel result = duel(rule, 20, 3, 80, 20);
  CAPTURE(rule.name, result.fitness.above, result.fitness.below, result.others.above,
          result.others.below, result.found, result.by_chance, result.by_default);
  CHECK(result.fitness.above >= 18);
  // On seeds that were never used, both are above the default.  Which of them is ahead there is
  // decided by which seeds they were given more than by how they search.
  CHECK(result.default_there.above >= 18);
  CHECK(result.found > result.by_default);
}

TEST_CASE(
    "META: a controller tunes the rate of Oja's subspace rule, above the default and chance") {
  const SearchedRule rule = subspace_rate();
  const std::vector<std::uint64_t> never_used = seeds_of(1'000'000, 10);
  const double by_default = mean_score(rule, rule.by_default, never_used);
  int above_default = 0, distinct = 0;
  Tally beside_random;
  for (std::uint64_t number = 1; number <= 20; ++number) {
    PlasticityControllerOptions options = {.start = rule.by_default,
                                           .seeds = seeds_of(number, 3),
                                           .held_out_seeds = seeds_of(1000 + number, 3),
                                           .population_size = 4,
                                           .random = {number, 1}};
    const auto tuned = [&](SearchMethod method) {
      options.method = method;
      PlasticityController controller(
          SearchSpace(rule.parameters),
          [&](std::span<const double> p, std::uint64_t seed) { return rule.score(p, seed); },
          options);
      for (int generation = 0; generation < 15; ++generation) controller.adapt_plasticity();
      return controller;
    };
    const PlasticityController by_search = tuned(SearchMethod::cma_es);
    const PlasticityController by_chance = tuned(SearchMethod::random);
    const double there = mean_score(rule, by_search.current_params(), never_used);
    above_default += there > by_default ? 1 : 0;
    beside_random.add(-by_search.search_result().objective, -by_chance.search_result().objective);
    std::set<double> fitness;
    for (std::size_t k = 0; k < 4; ++k) {
      fitness.insert(by_search.search_result().history[k].objective);
    }
    distinct += fitness.size() > 1 ? 1 : 0;
  }
  CAPTURE(above_default, beside_random.above, beside_random.below, beside_random.p());
  CHECK(distinct == 20);
  CHECK(above_default >= 18);
  CHECK(beside_random.above > beside_random.below);
  CHECK(beside_random.p() < 0.05);
}

TEST_CASE("meta-training on series of three lengths serves lengths that it has not seen") {
  // The longer a series, the smaller the rate that is best.
  const auto task = [](std::int64_t steps) {
    return MetaTask{std::to_string(steps), [steps](std::span<const double> p, std::uint64_t seed) {
                      return subspace_found(OjaRule{.learning_rate = p[0]}, 1, oja_spectrum(),
                                            steps, seed);
                    }};
  };
  const std::vector<MetaTask> seen = {task(400), task(1000), task(2500)};
  const std::vector<MetaTask> unseen = {task(600), task(1600)};
  const TaskSampling sampling =
      GENERATE(TaskSampling::uniform, TaskSampling::curriculum, TaskSampling::performance_weighted);
  const std::vector<double> start = {0.03};
  const MetaOptimizer meta(SearchSpace({SearchParameter::log("rate", 1e-4, 1)}),
                           {.adaptation_strategy = sampling, .start = start, .random = {1, 1}});
  const MetaResult found = meta.meta_train(10, seen);
  Tally beside_start;
  for (const std::uint64_t seed : seeds_of(1'000'000, 20)) {
    for (const MetaTask& one : unseen) {
      beside_start.add(one.learn(found.meta_parameters, seed), one.learn(start, seed));
    }
  }
  CAPTURE(to_string(sampling), found.meta_parameters[0], beside_start.above, beside_start.below);
  CHECK(found.performance > found.learning_history[0]);
  CHECK(beside_start.p() < 0.001);
  CHECK(beside_start.above > beside_start.below);
}
