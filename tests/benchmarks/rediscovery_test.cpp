// SPDX-License-Identifier: MIT
#include "../../benchmarks/rediscovery.h"

#include "../support/catch.h"

using gaia::bench::is_oja;
using gaia::bench::Rediscovery;

TEST_CASE("the polynomial with Oja's coefficients goes Oja's way, and none else does") {
  const Rediscovery task(5, 4, 600);
  std::vector<std::vector<double>> candidates = {Rediscovery::oja()};
  for (std::size_t k = 0; k < candidates.front().size(); ++k) {
    candidates.push_back(Rediscovery::oja());
    candidates.back()[k] += 0.05;
  }
  const std::vector<double> objectives = task.objectives(candidates);
  CHECK(objectives[0] < 1e-24);
  for (std::size_t c = 1; c < objectives.size(); ++c) {
    INFO(Rediscovery::names()[c - 1]);
    CHECK(objectives[c] > 1e-7);
  }
  // Weights that run away have no distance.
  CHECK(std::isnan(task.objectives({{0, 0, 0, 2, 2, 0, 0, 0, 2, 2, 0, 0}})[0]));
}

TEST_CASE("a search among twelve terms finds Oja's rule, and random search does not") {
  for (const std::uint64_t seed : {1U, 2U}) {
    const Rediscovery task(seed, 4, 600);
    const gaia::SearchResult found = gaia::bench::rediscover(task, seed, 12000);
    INFO("seed " << seed << ", distance " << found.objective);
    CHECK(is_oja(found.best, 0.05));

    const gaia::SearchResult luck =
        gaia::bench::best_at_random(task, seed, std::ssize(found.history));
    CHECK_FALSE(is_oja(luck.best, 0.2));
    CHECK(luck.objective > 100 * found.objective);
  }
}
