// SPDX-License-Identifier: MIT
#include "../../../src/agents/discrete/dirichlet.h"

#include <algorithm>
#include <cmath>

#include "../../../src/agents/discrete/agent.h"
#include "../../../src/agents/discrete/worlds.h"
#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/near.h"
#include "random_models.h"

using namespace gaia;
using namespace gaia::test;
using namespace gaia::agents;
using gaia::test::random_tables;

namespace {

/// Counts of one in the shapes of these tables.
std::vector<ProbabilityTable> ones(std::vector<ProbabilityTable> tables) {
  for (ProbabilityTable& table : tables) std::ranges::fill(table.values, 1.0);
  return tables;
}

/// A world of three states that are all seen, whose actions do what `random` says.
GenerativeModel seen_world(std::uint64_t seed) {
  ModelTables tables = random_tables({3}, {2}, {3}, seed);
  tables.likelihoods = {{{3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  return GenerativeModel(tables);
}

}  // namespace

TEST_CASE("digamma is the slope of ln Gamma") {
  CHECK(digamma(1) == Approx(-0.57721566490153286).epsilon(1e-13));
  CHECK(digamma(0.5) == Approx(-1.96351002602142348).epsilon(1e-13));
  CHECK(digamma(10) == Approx(2.25175258906672111).epsilon(1e-13));
  for (const double x : {0.01, 0.3, 1.7, 9.99, 25.0, 1e4}) {
    CHECK(digamma(x + 1) == Approx(digamma(x) + 1 / x).epsilon(1e-12));
    const double h = 1e-4 * x;
    CHECK(digamma(x) == Approx((std::lgamma(x + h) - std::lgamma(x - h)) / (2 * h)).epsilon(1e-5));
  }
}

TEST_CASE("The exact gain about parameters is the mean KL of what counting would change") {
  const std::vector<double> a = {0.4, 2.5, 7.0};
  const double sum = 9.9;
  // KL[Dir(a + e_o) || Dir(a)] = ln(a0 / a_o) + psi(a_o + 1) - psi(a0 + 1), psi by differences.
  const auto slope = [](double x) {
    return (std::lgamma(x + 1e-5) - std::lgamma(x - 1e-5)) / 2e-5;
  };
  double expected = 0;
  for (const double one : a) {
    expected += one / sum * (std::log(sum / one) + slope(one + 1) - slope(sum + 1));
  }
  ModelTables tables = random_tables({1}, {1}, {3}, 1);
  Concentrations counts;
  counts.likelihoods = {{{3, 1}, a}};
  GenerativeModel model(tables);
  set_to_means(model, counts);
  const ParameterGains gains(counts, ParameterGain::exact);
  CHECK(gains.at(model, {{1}}, {0}, {{1}}) == Approx(expected).epsilon(1e-8));
  CHECK(ParameterGains(counts, ParameterGain::none).at(model, {{1}}, {0}, {{1}}) == 0);

  // For many counts that of pymdp is twice as much.
  for (double& one : counts.likelihoods[0].values) one *= 1e5;
  const double exact = ParameterGains(counts, ParameterGain::exact).at(model, {{1}}, {0}, {{1}});
  const double other =
      ParameterGains(counts, ParameterGain::inverse_counts).at(model, {{1}}, {0}, {{1}});
  CHECK(other == Approx(2 * exact).epsilon(1e-4));
}

TEST_CASE("Gains are means over the states that may be, and over those before for transitions") {
  GenerativeModel model(random_tables({2, 2}, {2, 1}, {3}, 3));
  Concentrations counts{.likelihoods = model.tables().likelihoods,
                        .transitions = model.tables().transitions};
  for (ProbabilityTable& t : counts.likelihoods) t.values[1] += 5;
  for (ProbabilityTable& t : counts.transitions) t.values[2] += 5;
  set_to_means(model, counts);
  const ParameterGains gains(counts, ParameterGain::exact);
  const Beliefs before = {{0.3, 0.7}, {0.9, 0.1}}, now = {{0.6, 0.4}, {0.2, 0.8}};
  double mean = 0;
  for (std::size_t k = 0; k < 16; ++k) {
    const std::size_t s[4] = {k & 1, k >> 1 & 1, k >> 2 & 1, k >> 3 & 1};
    const auto sure = [](std::size_t one) {
      return std::vector<double>{one == 0 ? 1.0 : 0.0, one == 1 ? 1.0 : 0.0};
    };
    mean += before[0][s[0]] * before[1][s[1]] * now[0][s[2]] * now[1][s[3]] *
            gains.at(model, {sure(s[0]), sure(s[1])}, {1, 0}, {sure(s[2]), sure(s[3])});
  }
  CHECK(gains.at(model, before, {1, 0}, now) == Approx(mean).epsilon(1e-12));
  CHECK(gains.at(model, before, {0, 0}, now) != Approx(mean).epsilon(1e-12));
}

TEST_CASE("The gain about a transition depends on the state that it leaves") {
  GenerativeModel model(random_tables({2}, {2}, {3}, 3));
  const Concentrations counts{.transitions = {{{2, 2, 2}, {9, 1, 1, 1, 9, 1, 1, 1}}}};
  set_to_means(model, counts);
  const ParameterGains gains(counts, ParameterGain::exact);
  const double known = gains.at(model, {{1, 0}}, {0}, {{0, 1}});
  CHECK(known == gains.at(model, {{1, 0}}, {0}, {{1, 0}}));
  CHECK(gains.at(model, {{0, 1}}, {0}, {{0, 1}}) > 2 * known);
  CHECK(gains.at(model, {{1, 0}}, {1}, {{0, 1}}) > 2 * known);
}

TEST_CASE("Counts grow by beliefs, zeros stay, and what was counted is forgotten") {
  const GenerativeModel model(random_tables({2, 2}, {1, 2}, {2}, 3));
  std::vector<ProbabilityTable> counts = ones(model.tables().likelihoods);
  counts[0].values[5] = 0;
  const std::vector<ProbabilityTable> prior = counts;
  const Beliefs q = {{0.25, 0.75}, {0.5, 0.5}};
  count_outcomes(counts, prior, model, {1}, q, {.likelihood_rate = 2});
  CHECK(counts[0].values == std::vector<double>{1, 1, 1, 1, 1.25, 0, 1.75, 1.75});
  count_outcomes(counts, prior, model, {unobserved}, q, {.forgetting = 0.5});
  CHECK(counts[0].values == std::vector<double>{1, 1, 1, 1, 1.125, 0, 1.375, 1.375});

  std::vector<ProbabilityTable> moves = ones(model.tables().transitions);
  const std::vector<ProbabilityTable> none = moves;
  count_transitions(moves, none, {0, 1}, {{0, 0, 0, 1}, {0.1, 0.2, 0.3, 0.4}}, {});
  CHECK(moves[0].values == std::vector<double>{1, 1, 1, 2});
  CHECK(moves[1].values == std::vector<double>{1, 1.1, 1, 1.2, 1, 1.3, 1, 1.4});

  std::vector<std::vector<double>> initial = {{1, 0}, {2, 2}};
  count_initial(initial, initial, q, {.initial_rate = 4});
  CHECK(initial == std::vector<std::vector<double>>{{2, 0}, {4, 4}});
}

TEST_CASE("An agent recovers the transition model of its world") {
  const GenerativeModel truth = seen_world(11);
  ModelTables unknown = truth.tables();
  Concentrations counts{.transitions = ones(unknown.transitions), .initial = {{1, 1, 1}}};
  DiscreteAgent agent(GenerativeModel(unknown), {.random = {5, 1}}, counts);
  CHECK(largest_difference(agent.model().tables().transitions[0].values,
                           truth.tables().transitions[0].values) > 0.2);
  DiscreteWorld world(truth, {5, 2});
  const RandomStream moves{5, 3};
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Observation o = world.reset();
    for (std::uint64_t t = 0; t < 20; ++t) {
      agent.infer(o);
      agent.learn();
      const Action action = {moves.integer(20 * trial + t, 2)};
      agent.take(action);
      o = world.step(action);
    }
    agent.reset();
  }
  // About 600 counts a column: the error of a probability is 0.02, one standard deviation.
  CHECK(largest_difference(agent.model().tables().transitions[0].values,
                           truth.tables().transitions[0].values) < 0.07);
  CHECK(largest_difference(agent.model().tables().initial[0], truth.tables().initial[0]) < 0.12);
}

TEST_CASE("An agent whose likelihoods are vague learns them, with states that it infers") {
  ModelTables tables = random_tables({2}, {2}, {2}, 1);
  tables.likelihoods = {{{2, 2}, {0.9, 0.2, 0.1, 0.8}}};
  tables.transitions = {{{2, 2, 2}, {0.95, 0.95, 0.95, 0.05, 0.05, 0.05, 0.05, 0.95}}};
  // Action 0 leads to state 0 mostly; action 1 leaves state 1 and state 0 where they are.
  const GenerativeModel truth(tables);
  const Concentrations counts{.likelihoods = {{{2, 2}, {1.2, 1, 1, 1.2}}}};
  DiscreteAgent agent(truth, {.window = 2, .random = {6, 1}}, counts);
  DiscreteWorld world(truth, {6, 2});
  const RandomStream moves{6, 3};
  Observation o = world.reset();
  for (std::uint64_t t = 0; t < 4000; ++t) {
    agent.infer(o);
    agent.learn();
    const Action action = {moves.integer(t, 10) == 0 ? 0 : 1};
    agent.take(action);
    o = world.step(action);
  }
  const std::vector<double>& a = agent.model().tables().likelihoods[0].values;
  CHECK(a[0] - a[1] > 0.3);
}

TEST_CASE("Where states are seen, any window counts the same transitions") {
  const GenerativeModel truth = seen_world(11);
  const auto learnt = [&](std::int64_t window) {
    DiscreteAgent agent(truth, {.window = window, .random = {5, 1}},
                        {.transitions = ones(truth.tables().transitions)});
    DiscreteWorld world(truth, {5, 2});
    Observation o = world.reset();
    for (std::uint64_t t = 0; t < 50; ++t) {
      agent.infer(o);
      agent.learn();
      const Action action = {RandomStream{5, 3}.integer(t, 2)};
      agent.take(action);
      o = world.step(action);
    }
    return agent.concentrations().transitions[0].values;
  };
  CHECK(largest_difference(learnt(1), learnt(2)) < 1e-9);
  CHECK(largest_difference(learnt(1), learnt(5)) < 1e-9);
}

TEST_CASE("Who forgets follows a world that changes") {
  const GenerativeModel before = seen_world(11), after = seen_world(12);
  const auto error_of = [&](double forgetting) {
    DiscreteAgent agent(before, {.learning = {.forgetting = forgetting}, .random = {7, 1}},
                        {.transitions = ones(before.tables().transitions)});
    const RandomStream moves{7, 3};
    for (const GenerativeModel* world_model : {&before, &after}) {
      DiscreteWorld world(*world_model, {7, 2});
      Observation o = world.reset();
      for (std::uint64_t t = 0; t < 2000; ++t) {
        agent.infer(o);
        agent.learn();
        const Action action = {moves.integer(t, 2)};
        agent.take(action);
        o = world.step(action);
      }
      agent.reset();
    }
    return largest_difference(agent.model().tables().transitions[0].values,
                              after.tables().transitions[0].values);
  };
  CHECK(error_of(0) > 0.15);
  CHECK(error_of(0.003) < 0.13);
}

TEST_CASE("Concentrations that do not fit the model are refused") {
  GenerativeModel model(random_tables({2}, {2}, {3}, 1));
  CHECK_THROWS_WITH_TEXT(set_to_means(model, {.likelihoods = {{{2, 2}, {1, 1, 1, 1}}}}),
                         ArgumentError, "expected the shape [3, 2], got [2, 2]");
  CHECK_THROWS_WITH_TEXT(set_to_means(model, {.transitions = {}, .initial = {{1, 1}, {1}}}),
                         ArgumentError, "set_initial: expected 1 lists");
  CHECK_THROWS_WITH_TEXT(set_to_means(model, {.initial = {{0, 0}}}), ArgumentError, "column 0");
  CHECK_THROWS_WITH_TEXT(set_to_means(model, {.initial = {{1, 1, 1}}}), ArgumentError,
                         "2 probabilities");
}
