// SPDX-License-Identifier: MIT
#include "../../../src/agents/discrete/expected_free_energy.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "random_models.h"

using namespace gaia;
using namespace gaia::test;
using namespace gaia::agents;

namespace {

/// Models of 1 to 3 factors and modalities.
GenerativeModel model_of(std::uint64_t seed) {
  const std::vector<std::vector<std::int64_t>> states = {{4}, {2, 3}, {3, 2, 2}};
  const std::vector<std::vector<std::int64_t>> actions = {{2}, {3, 1}, {1, 2, 2}};
  const std::vector<std::vector<std::int64_t>> outcomes = {{3}, {2, 4}, {2, 3, 2}};
  return GenerativeModel(
      random_tables(states[seed % 3], actions[seed % 3], outcomes[seed / 3 % 3], seed));
}

/// By plain loops over joint states and joint outcomes, with posteriors by Bayes' rule.
ExpectedFreeEnergy by_enumeration(const GenerativeModel& model, const Beliefs& q) {
  const auto weight = [&](const std::vector<std::int64_t>& s) {
    double p = 1;
    for (std::size_t f = 0; f < s.size(); ++f) p *= q[f][static_cast<std::size_t>(s[f])];
    return p;
  };
  ExpectedFreeEnergy result;
  for_each_joint(model.outcomes(), [&](const Observation& o) {
    double expected = 0, log_c = 0;
    for_each_joint(model.states(),
                   [&](const auto& s) { expected += weight(s) * likelihood(model, o, s); });
    for (std::size_t m = 0; m < o.size(); ++m) {
      log_c += model.log_preferences()[m][static_cast<std::size_t>(o[m])];
    }
    result.risk += expected * (std::log(expected) - log_c);
    result.pragmatic += expected * log_c;
    for_each_joint(model.states(), [&](const auto& s) {
      const double p = likelihood(model, o, s);
      const double posterior = weight(s) * p / expected;
      result.ambiguity -= weight(s) * p * std::log(p);
      result.epistemic += expected * posterior * std::log(posterior / weight(s));
    });
  });
  return result;
}

}  // namespace

TEST_CASE("Both forms of the expected free energy are equal, and what enumeration gives") {
  for (std::uint64_t seed = 1; seed <= 18; ++seed) {
    const GenerativeModel model = model_of(seed);
    const Beliefs q = model.tables().initial;
    const ExpectedFreeEnergy found = expected_free_energy(model, q);
    CHECK(std::abs(found.risk + found.ambiguity + found.pragmatic + found.epistemic) < 1e-10);
    const ExpectedFreeEnergy exact = by_enumeration(model, q);
    CHECK(found.risk == Approx(exact.risk).margin(1e-10));
    CHECK(found.ambiguity == Approx(exact.ambiguity).margin(1e-10));
    CHECK(found.pragmatic == Approx(exact.pragmatic).margin(1e-10));
    CHECK(found.epistemic == Approx(exact.epistemic).margin(1e-10));
    CHECK(found.epistemic > 0);
    const double g = total(found, {});
    CHECK(g == Approx(found.risk + found.ambiguity).margin(1e-10));
    CHECK(total(found, {.use_epistemic = false}) == -found.pragmatic);
    CHECK(total(found, {.use_pragmatic = false}) == -found.epistemic);
    // SPM's constants change little, and are not nothing.
    const double spm = total(expected_free_energy(model, q, {.spm_constants = true}), {});
    CHECK(std::abs(spm - g) < 1e-5);
    CHECK(spm != g);
  }
}

TEST_CASE("Zeros in tables and beliefs are exact too") {
  ModelTables tables;
  tables.likelihoods = {{{2, 3}, {1, 0, 0.5, 0, 1, 0.5}}};
  tables.transitions = {test::random_table({3, 3, 1}, {1, 1})};
  const GenerativeModel model(tables);
  const ExpectedFreeEnergy sure = expected_free_energy(model, {{0, 1, 0}});
  CHECK(sure.epistemic == Approx(0).margin(1e-15));
  CHECK(sure.ambiguity == 0);
  CHECK(sure.risk == Approx(std::log(2.0)));
  const ExpectedFreeEnergy open = expected_free_energy(model, {{0.5, 0.5, 0}});
  CHECK(open.epistemic == Approx(std::log(2.0)));
  CHECK(open.risk == Approx(0).margin(1e-15));
  const ExpectedFreeEnergy vague = expected_free_energy(model, {{0, 0, 1}});
  CHECK(vague.ambiguity == Approx(std::log(2.0)));
}

TEST_CASE("Groups of modalities add up to what all modalities together have") {
  ModelTables narrow = random_tables({2, 3}, {1, 2}, {}, 7);
  narrow.likelihoods = {test::random_table({3, 2}, {7, 70}), test::random_table({4, 3}, {7, 71})};
  narrow.depends_on = {{0}, {1}};
  narrow.preferences = {{1, 0, -1}, {0.5, 0, 0, 2}};
  const GenerativeModel model(narrow);
  REQUIRE(model.groups().size() == 2);
  const Beliefs q = model.tables().initial;
  const ExpectedFreeEnergy found = expected_free_energy(model, q);
  const ExpectedFreeEnergy exact = by_enumeration(model, q);
  CHECK(found.risk == Approx(exact.risk).margin(1e-12));
  CHECK(found.epistemic == Approx(exact.epistemic).margin(1e-12));
  CHECK(found.ambiguity == Approx(exact.ambiguity).margin(1e-12));
  CHECK(found.pragmatic == Approx(exact.pragmatic).margin(1e-12));
}

TEST_CASE("Policies are all combinations, the last action fastest") {
  const GenerativeModel model(random_tables({2, 3, 2}, {2, 1, 3}, {2}, 1));
  const std::vector<Policy> policies = all_policies(model, 2);
  REQUIRE(policies.size() == 36);
  CHECK(policies[0] == Policy{{0, 0, 0}, {0, 0, 0}});
  CHECK(policies[1] == Policy{{0, 0, 0}, {0, 0, 1}});
  CHECK(policies[3] == Policy{{0, 0, 0}, {1, 0, 0}});
  CHECK(policies[35] == Policy{{1, 0, 2}, {1, 0, 2}});
  CHECK_THROWS_WITH_TEXT(all_policies(model, 0), ArgumentError, "horizon");
  CHECK_THROWS_WITH_TEXT(all_policies(model, 9), ArgumentError, "2^20 policies");
  const GenerativeModel idle(random_tables({2}, {1}, {2}, 1));
  CHECK(all_policies(idle, 50).size() == 1);
}

TEST_CASE("A plan sums over steps, and its posterior is softmax of ln E - gamma G") {
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    ModelTables tables = model_of(seed).tables();
    const std::vector<Policy> policies = all_policies(GenerativeModel(tables), 2);
    tables.habits =
        test::random_table({static_cast<std::int64_t>(policies.size())}, {seed, 90}).values;
    const GenerativeModel model(tables);
    const Beliefs q = model.tables().initial;
    const Plan plan = evaluate_policies(model, q, policies, {.precision = 2.5});
    double sum = 0;
    std::vector<double> expected;
    for (std::size_t k = 0; k < policies.size(); ++k) {
      double g = 0;
      Beliefs now = q;
      for (const Action& action : policies[k]) {
        now = predicted(model, now, action);
        const ExpectedFreeEnergy terms = by_enumeration(model, now);
        g += terms.risk + terms.ambiguity;
      }
      CHECK(plan.G[k] == Approx(g).margin(1e-10));
      CHECK(plan.terms[k].risk + plan.terms[k].ambiguity == Approx(g).margin(1e-10));
      sum += expected.emplace_back(tables.habits[k] * std::exp(-2.5 * g));
    }
    for (std::size_t k = 0; k < policies.size(); ++k) {
      CHECK(plan.posterior[k] == Approx(expected[k] / sum).epsilon(1e-9));
    }
    // What policies share at their beginning is computed once.
    const auto count = static_cast<std::int64_t>(policies.size());
    CHECK(plan.nodes < 2 * count);
    const Plan habit = evaluate_policies(model, q, policies, {.precision = 0});
    for (std::size_t k = 0; k < policies.size(); ++k) {
      CHECK(habit.posterior[k] == Approx(tables.habits[k]).epsilon(1e-12));
    }
  }
}

TEST_CASE("A policy without habit is never chosen") {
  CHECK(policy_posterior({-100, 0}, {0, 1}, 16) == std::vector<double>{0, 1});
  CHECK(policy_posterior({0, 0}, {}, 16) == std::vector<double>{0.5, 0.5});
}

TEST_CASE("Planning refuses what does not fit") {
  ModelTables tables = random_tables({2}, {2}, {3}, 1);
  const GenerativeModel model(tables);
  const Beliefs q = model.tables().initial;
  CHECK_THROWS_WITH_TEXT(evaluate_policies(model, q, {}), ArgumentError, "at least one");
  CHECK_THROWS_WITH_TEXT(evaluate_policies(model, q, {{}}), ArgumentError, "one step or more");
  CHECK_THROWS_WITH_TEXT(evaluate_policies(model, q, {{{2}}}), ArgumentError, "action");
  CHECK_THROWS_WITH_TEXT(evaluate_policies(model, q, {{{0}}}, {.precision = -1}), ArgumentError,
                         "precision");
  CHECK_THROWS_WITH_TEXT(evaluate_policies(model, {{1}}, {{{0}}}), ArgumentError, "beliefs");
  tables.habits = {0.5, 0.5};
  CHECK_THROWS_WITH_TEXT(evaluate_policies(GenerativeModel(tables), q, {{{0}}}), ArgumentError,
                         "habits");
}
