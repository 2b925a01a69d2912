// SPDX-License-Identifier: MIT
#include "../../../src/agents/discrete/tree_search.h"

#include <algorithm>
#include <cmath>

#include "../../../src/agents/discrete/worlds.h"
#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "random_models.h"

using namespace gaia;
using namespace gaia::agents;
using gaia::test::random_tables;

namespace {

/// G of each action of a model with one factor and one modality, by the recursion as it is written,
/// on plain loops and with Bayes' rule.
std::vector<double> recursion(const GenerativeModel& model, const std::vector<double>& q, int depth,
                              double gamma) {
  const std::int64_t states = model.states()[0], outcomes = model.outcomes()[0];
  const std::vector<double>& a = model.tables().likelihoods[0].values;
  std::vector<double> all;
  for (std::int64_t u = 0; u < model.actions()[0]; ++u) {
    std::vector<double> next(static_cast<std::size_t>(states), 0.0);
    for (std::int64_t s = 0; s < states; ++s) {
      for (std::int64_t from = 0; from < states; ++from) {
        next[static_cast<std::size_t>(s)] +=
            test::transition(model, 0, s, from, u) * q[static_cast<std::size_t>(from)];
      }
    }
    double g = 0;
    for (std::int64_t o = 0; o < outcomes; ++o) {
      double expected = 0;
      std::vector<double> posterior(next);
      for (std::size_t s = 0; s < next.size(); ++s) {
        const double p = a[static_cast<std::size_t>(o * states) + s];
        expected += posterior[s] *= p;
        g -= next[s] * p * std::log(p);
      }
      g +=
          expected * (std::log(expected) - model.log_preferences()[0][static_cast<std::size_t>(o)]);
      if (depth == 1) continue;
      for (double& value : posterior) value /= expected;
      const std::vector<double> later = recursion(model, posterior, depth - 1, gamma);
      double sum = 0, mean = 0;
      const double least = *std::ranges::min_element(later);
      for (const double one : later) {
        sum += std::exp(-gamma * (one - least));
        mean += one * std::exp(-gamma * (one - least));
      }
      g += expected * mean / sum;
    }
    all.push_back(g);
  }
  return all;
}

}  // namespace

TEST_CASE("A tree is the recursion of sophisticated inference") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const GenerativeModel model(random_tables({3}, {2}, {3}, seed));
    const Beliefs q = model.tables().initial;
    for (const int depth : {1, 2, 3}) {
      const Plan plan = search_tree(model, q, {.depth = depth}, {.precision = 3});
      const std::vector<double> expected = recursion(model, q[0], depth, 3);
      double sum = 0;
      for (const double g : expected) sum += std::exp(-3 * g);
      for (std::size_t k = 0; k < 2; ++k) {
        CHECK(plan.G[k] == Approx(expected[k]).epsilon(1e-9));
        CHECK(plan.posterior[k] == Approx(std::exp(-3 * expected[k]) / sum).epsilon(1e-8));
        const ExpectedFreeEnergy& terms = plan.terms[k];
        CHECK(std::abs(terms.risk + terms.ambiguity + terms.pragmatic + terms.epistemic) < 1e-10);
      }
      CHECK(plan.nodes == (depth == 1 ? 2 : depth == 2 ? 14 : 86));
    }
  }
}

TEST_CASE("A tree of one step is a plan of one step, with several factors and modalities") {
  ModelTables tables = random_tables({2, 3}, {2, 3}, {2, 3}, 9);
  tables.habits = test::random_table({6}, {9, 99}).values;
  const GenerativeModel model(tables);
  const Beliefs q = model.tables().initial;
  const Plan tree = search_tree(model, q, {.depth = 1});
  const Plan flat = evaluate_policies(model, q, all_policies(model, 1));
  CHECK(tree.G == flat.G);
  CHECK(tree.posterior == flat.posterior);
  // And two steps are finite, with forms that are equal.
  const Plan deep = search_tree(model, q, {.depth = 2});
  for (const ExpectedFreeEnergy& terms : deep.terms) {
    CHECK(std::abs(terms.risk + terms.ambiguity + terms.pragmatic + terms.epistemic) < 1e-10);
  }
}

TEST_CASE("A tree knows that a cue can be used, which policies do not") {
  // Losses hurt so much that an arm is only worth it once the cue was read.
  const GenerativeModel maze = t_maze({.win = 2, .loss = -6, .random = {1, 1}}).model();
  const Beliefs start = maze.tables().initial;
  const Plan tree = search_tree(maze, start, {.depth = 2});
  const Plan flat = evaluate_policies(maze, start, all_policies(maze, 2));
  // To the cue and then right: certain of a win by the tree, one of two by the policy.
  const double by_policy = -flat.terms[4 * 3 + 1].pragmatic;
  const double by_tree = -tree.terms[3].pragmatic;
  CHECK(by_policy > by_tree + 2);
  CHECK(tree.posterior[3] > 0.99);
}

TEST_CASE("Pruning looks at less, and comes to the same action") {
  const GenerativeModel maze = t_maze({.random = {1, 1}}).model();
  const Beliefs start = maze.tables().initial;
  const Plan all = search_tree(maze, start, {.depth = 4});
  const Plan pruned = search_tree(
      maze, start, {.depth = 4, .action_threshold = 1.0 / 16, .outcome_threshold = 1.0 / 16});
  CHECK(pruned.nodes < all.nodes / 4);
  CHECK(std::ranges::max_element(all.posterior) - all.posterior.begin() == 3);
  CHECK(std::ranges::max_element(pruned.posterior) - pruned.posterior.begin() == 3);
  double sum = 0;
  for (const double p : pruned.posterior) sum += p;
  CHECK(sum == Approx(1));
}

TEST_CASE("Where no outcome is probable enough, the most probable ones are followed") {
  ModelTables tables = random_tables({2}, {2}, {5}, 3);
  tables.likelihoods = {{{5, 2}, {0.3, 0.1, 0.3, 0.1, 0.2, 0.2, 0.1, 0.3, 0.1, 0.3}}};
  const GenerativeModel model(tables);
  const Beliefs q = model.tables().initial;
  const Plan pruned = search_tree(model, q, {.depth = 2, .outcome_threshold = 0.9});
  CHECK(pruned.nodes > 2);
  CHECK(pruned.nodes <= 2 + 2 * 5 * 2);
  const Plan all = search_tree(model, q, {.depth = 2});
  for (std::size_t k = 0; k < 2; ++k) CHECK(pruned.G[k] == Approx(all.G[k]).margin(1));
}

TEST_CASE("Trees refuse what does not fit") {
  ModelTables tables = random_tables({2}, {2}, {3}, 1);
  const GenerativeModel model(tables);
  const Beliefs q = model.tables().initial;
  CHECK_THROWS_WITH_TEXT(search_tree(model, q, {.depth = 0}), ArgumentError, "depth");
  CHECK_THROWS_WITH_TEXT(search_tree(model, q, {.action_threshold = 1}), ArgumentError,
                         "action_threshold");
  CHECK_THROWS_WITH_TEXT(search_tree(model, q, {.outcome_threshold = NAN}), ArgumentError,
                         "outcome_threshold");
  CHECK_THROWS_WITH_TEXT(search_tree(model, q, {}, {.precision = -2}), ArgumentError, "precision");
  tables.habits = {0.2, 0.3, 0.5};
  CHECK_THROWS_WITH_TEXT(search_tree(GenerativeModel(tables), q), ArgumentError, "habits");
}
