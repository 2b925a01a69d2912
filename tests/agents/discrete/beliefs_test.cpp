// SPDX-License-Identifier: MIT
#include "../../../src/agents/discrete/beliefs.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "random_models.h"

using namespace gaia;
using namespace gaia::test;
using namespace gaia::agents;

namespace {

double prior_of(const Beliefs& prior, const std::vector<std::int64_t>& state) {
  double p = 1;
  for (std::size_t f = 0; f < state.size(); ++f) p *= prior[f][static_cast<std::size_t>(state[f])];
  return p;
}

double evidence(const GenerativeModel& model, const Observation& o, const Beliefs& prior) {
  double sum = 0;
  for_each_joint(model.states(),
                 [&](const auto& s) { sum += prior_of(prior, s) * likelihood(model, o, s); });
  return sum;
}

/// exp(ln prior + mean over the other factors of ln P(o | s)), normalised.
std::vector<double> mean_field(const GenerativeModel& model, const Observation& o,
                               const Beliefs& prior, const Beliefs& q, std::size_t factor) {
  std::vector<double> logits(prior[factor].size());
  for (std::size_t s = 0; s < logits.size(); ++s) logits[s] = std::log(prior[factor][s]);
  for_each_joint(model.states(), [&](const auto& s) {
    double weight = 1;
    for (std::size_t f = 0; f < s.size(); ++f) {
      if (f != factor) weight *= q[f][static_cast<std::size_t>(s[f])];
    }
    logits[static_cast<std::size_t>(s[factor])] += weight * std::log(likelihood(model, o, s));
  });
  double sum = 0;
  for (double& value : logits) sum += value = std::exp(value);
  for (double& value : logits) value /= sum;
  return logits;
}

}  // namespace

TEST_CASE("With one factor beliefs are Bayes' rule and the free energy is the surprise") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const GenerativeModel model(random_tables({5}, {2}, {3, 4}, seed));
    const Beliefs prior = model.tables().initial;
    const Observation o = {static_cast<std::int64_t>(seed % 3),
                           static_cast<std::int64_t>(seed % 4)};
    const Inference found = infer_states(model, o, prior);
    const double p = evidence(model, o, prior);
    for (std::int64_t s = 0; s < 5; ++s) {
      const double exact = prior[0][static_cast<std::size_t>(s)] * likelihood(model, o, {s}) / p;
      CHECK(found.beliefs[0][static_cast<std::size_t>(s)] == Approx(exact).epsilon(1e-12));
    }
    CHECK(found.free_energy == Approx(-std::log(p)).epsilon(1e-12));
    CHECK(found.iterations == 1);
  }
}

TEST_CASE("With several factors beliefs are a fixed point of the mean field, reached from above") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const bool is_three = seed % 2 == 0;
    const GenerativeModel model(is_three ? random_tables({2, 3, 4}, {1, 2, 1}, {3, 2}, seed)
                                         : random_tables({3, 4}, {1, 2}, {2, 3, 3}, seed));
    const Beliefs prior = model.tables().initial;
    const Observation o = is_three ? Observation{1, 1} : Observation{1, unobserved, 2};
    const Inference found = infer_states(model, o, prior, {.iterations = 1000, .tolerance = 0});
    for (std::size_t f = 0; f < prior.size(); ++f) {
      const std::vector<double> expected = mean_field(model, o, prior, found.beliefs, f);
      for (std::size_t s = 0; s < expected.size(); ++s) {
        CHECK(found.beliefs[f][s] == Approx(expected[s]).margin(1e-10));
      }
    }
    CHECK(found.free_energy >= -std::log(evidence(model, o, prior)) - 1e-12);
    double before = INFINITY;
    for (std::int64_t n = 1; n <= 12; ++n) {
      const double now = infer_states(model, o, prior, {.iterations = n}).free_energy;
      CHECK(now <= before + 1e-12);
      before = now;
    }
  }
}

TEST_CASE("All factors of a round at once see the beliefs of the round before") {
  const GenerativeModel model(random_tables({3, 4}, {1, 2}, {2, 3}, 5));
  const Beliefs prior = model.tables().initial;
  Beliefs q = {std::vector<double>(3, 1.0 / 3), std::vector<double>(4, 0.25)};
  for (std::int64_t n = 1; n <= 3; ++n) {
    const Beliefs old = q;
    for (std::size_t f = 0; f < 2; ++f) q[f] = mean_field(model, {1, 2}, prior, old, f);
    const Inference found =
        infer_states(model, {1, 2}, prior, {.iterations = n, .tolerance = 0, .parallel = true});
    CHECK(found.iterations == n);
    for (std::size_t f = 0; f < 2; ++f) {
      for (std::size_t s = 0; s < q[f].size(); ++s) {
        CHECK(found.beliefs[f][s] == Approx(q[f][s]).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("A table over some factors infers what the same table over all factors does") {
  ModelTables narrow = random_tables({2, 3, 2}, {1, 1, 1}, {}, 3);
  narrow.likelihoods = {test::random_table({3, 2, 2}, {3, 70}),
                        test::random_table({4, 3}, {3, 71})};
  narrow.depends_on = {{0, 2}, {1}};
  ModelTables wide = narrow;
  wide.depends_on.clear();
  wide.likelihoods.clear();
  for (std::size_t m = 0; m < 2; ++m) {
    ProbabilityTable table{{narrow.likelihoods[m].shape[0], 2, 3, 2}, {}};
    for (std::int64_t o = 0; o < table.shape[0]; ++o) {
      for_each_joint({2, 3, 2}, [&](const auto& s) {
        table.values.push_back(test::entry(narrow.likelihoods[m], o, s, narrow.depends_on[m]));
      });
    }
    wide.likelihoods.push_back(table);
  }
  const GenerativeModel one(narrow), other(wide);
  const Inference a = infer_states(one, {2, 3}, one.tables().initial);
  const Inference b = infer_states(other, {2, 3}, one.tables().initial);
  CHECK(a.free_energy == Approx(b.free_energy).epsilon(1e-9));
  for (std::size_t f = 0; f < 3; ++f) {
    for (std::size_t s = 0; s < a.beliefs[f].size(); ++s) {
      CHECK(a.beliefs[f][s] == Approx(b.beliefs[f][s]).epsilon(1e-6));
    }
  }
}

TEST_CASE("A factor that nothing is seen of, and a step without outcomes, leave the prior") {
  ModelTables tables = random_tables({2, 3}, {1, 1}, {}, 3);
  tables.likelihoods = {test::random_table({3, 2}, {3, 70})};
  tables.depends_on = {{0}};
  const GenerativeModel model(tables);
  const Beliefs prior = model.tables().initial;
  CHECK(infer_states(model, {1}, prior).beliefs[1] == prior[1]);
  const Inference blind = infer_states(model, {unobserved}, prior);
  CHECK(blind.beliefs[0][0] == Approx(prior[0][0]));
  CHECK(blind.free_energy == Approx(0).margin(1e-12));
}

TEST_CASE("What was held to be impossible can be believed when it happens") {
  ModelTables tables;
  tables.likelihoods = {{{2, 2}, {1, 0, 0, 1}}};
  tables.transitions = {{{2, 2, 1}, {1, 0, 0, 1}}};
  tables.initial = {{1, 0}};
  const GenerativeModel model(tables);
  const Inference found = infer_states(model, {1}, {{1, 0}});
  for (const double q : found.beliefs[0]) CHECK(q == Approx(0.5));
  CHECK(found.free_energy > 30);
}

TEST_CASE("Prediction multiplies by B of the action") {
  const GenerativeModel model(random_tables({3, 2}, {2, 1}, {2}, 4));
  const Beliefs q = model.tables().initial;
  const Beliefs next = predicted(model, q, {1, 0});
  for (std::int64_t s = 0; s < 3; ++s) {
    double sum = 0;
    for (std::int64_t from = 0; from < 3; ++from) {
      sum += test::transition(model, 0, s, from, 1) * q[0][static_cast<std::size_t>(from)];
    }
    CHECK(next[0][static_cast<std::size_t>(s)] == Approx(sum));
  }
}

TEST_CASE("With one factor beliefs over a window are those of all paths") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const GenerativeModel model(random_tables({3}, {2}, {2, 3}, seed));
    const Beliefs prior = model.tables().initial;
    const std::vector<Observation> o = {{0, 1}, {1, 2}, {unobserved, 0}, {1, 1}};
    const std::vector<Action> u = {{1}, {0}, {1}};
    const WindowInference found = infer_window(model, o, u, prior);
    std::vector<std::vector<double>> marginals(4, std::vector<double>(3, 0.0));
    std::vector<std::vector<double>> pairs(3, std::vector<double>(9, 0.0));
    double sum = 0;
    for_each_joint({3, 3, 3, 3}, [&](const auto& path) {
      double p = prior[0][static_cast<std::size_t>(path[0])];
      for (std::size_t t = 0; t < 4; ++t) {
        p *= likelihood(model, o[t], {path[t]});
        if (t > 0) p *= test::transition(model, 0, path[t], path[t - 1], u[t - 1][0]);
      }
      sum += p;
      for (std::size_t t = 0; t < 4; ++t) {
        marginals[t][static_cast<std::size_t>(path[t])] += p;
        if (t > 0) pairs[t - 1][static_cast<std::size_t>(3 * path[t] + path[t - 1])] += p;
      }
    });
    CHECK(found.free_energy == Approx(-std::log(sum)).epsilon(1e-10));
    for (std::size_t t = 0; t < 4; ++t) {
      for (std::size_t s = 0; s < 3; ++s) {
        CHECK(found.beliefs[t][0][s] == Approx(marginals[t][s] / sum).epsilon(1e-10));
      }
    }
    for (std::size_t t = 0; t < 3; ++t) {
      for (std::size_t k = 0; k < 9; ++k) {
        CHECK(found.pairs[t][0][k] == Approx(pairs[t][k] / sum).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("With several factors a window's free energy falls, and bounds the surprise") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const GenerativeModel model(random_tables({2, 3}, {2, 1}, {3, 2}, seed));
    const Beliefs prior = model.tables().initial;
    const std::vector<Observation> o = {{0, 1}, {2, 1}, {1, 0}};
    const std::vector<Action> u = {{1, 0}, {0, 0}};
    double sum = 0;
    for_each_joint({2, 3, 2, 3, 2, 3}, [&](const auto& path) {
      double p = prior_of(prior, {path[0], path[1]});
      for (std::size_t t = 0; t < 3; ++t) {
        p *= likelihood(model, o[t], {path[2 * t], path[2 * t + 1]});
        for (std::size_t f = 0; t > 0 && f < 2; ++f) {
          p *= test::transition(model, f, path[2 * t + f], path[2 * t + f - 2], u[t - 1][f]);
        }
      }
      sum += p;
    });
    double before = INFINITY;
    for (std::int64_t n = 1; n <= 8; ++n) {
      const double now = infer_window(model, o, u, prior, {.iterations = n}).free_energy;
      CHECK(now <= before + 1e-11);
      CHECK(now >= -std::log(sum) - 1e-11);
      before = now;
    }
    CHECK(before < -std::log(sum) + 0.5);
    // A window of one step is what infer_states does, from another beginning.
    const WindowInference one = infer_window(model, {o[0]}, {}, prior, {.iterations = 500});
    const Inference same = infer_states(model, o[0], prior, {.iterations = 500});
    CHECK(one.free_energy == Approx(same.free_energy).epsilon(1e-8));
    CHECK(one.beliefs[0][1][2] == Approx(same.beliefs[1][2]).margin(1e-5));
  }
}

TEST_CASE("Factors that share no modality are exact in a window, and unseen ones are predicted") {
  ModelTables tables = random_tables({2, 3}, {1, 2}, {}, 3);
  tables.likelihoods = {test::random_table({3, 2}, {3, 70})};
  tables.depends_on = {{0}};
  const GenerativeModel model(tables);
  const Beliefs prior = model.tables().initial;
  const WindowInference found = infer_window(model, {{1}, {2}}, {{0, 1}}, prior);
  CHECK(found.iterations == 1);
  const Beliefs next = predicted(model, prior, {0, 1});
  for (std::size_t s = 0; s < 3; ++s) CHECK(found.beliefs[1][1][s] == Approx(next[1][s]));
}

TEST_CASE("Inference refuses what does not fit") {
  const GenerativeModel model(random_tables({2, 3}, {1, 2}, {4}, 1));
  const Beliefs prior = model.tables().initial;
  CHECK_THROWS_WITH_TEXT(infer_states(model, {4}, prior), ArgumentError, "observation");
  CHECK_THROWS_WITH_TEXT(infer_states(model, {0}, {{1, 0}}), ArgumentError, "each of 2 factors");
  CHECK_THROWS_WITH_TEXT(infer_states(model, {0}, {{1, 0}, {1, 0}}), ArgumentError,
                         "3 probabilities for factor 1");
  CHECK_THROWS_WITH_TEXT(infer_states(model, {0}, {{1, 0.5}, {1, 0, 0}}), ArgumentError,
                         "sum to 1 for factor 0, got a sum of 1.5");
  CHECK_THROWS_WITH_TEXT(infer_states(model, {0}, prior, {.iterations = 0}), ArgumentError,
                         "iterations");
  CHECK_THROWS_WITH_TEXT(infer_states(model, {0}, prior, {.tolerance = NAN}), ArgumentError,
                         "tolerance");
  CHECK_THROWS_WITH_TEXT(infer_window(model, {}, {}, prior), ArgumentError, "window");
  CHECK_THROWS_WITH_TEXT(infer_window(model, {{0}}, {{0, 0}}, prior), ArgumentError,
                         "one action less");
}
