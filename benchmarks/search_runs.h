// SPDX-License-Identifier: MIT
/// \file
/// What a search of plasticity is judged by: runs of layers whose rules are known to end somewhere,
/// and searches by CMA-ES compared with random search.  tests/search has them in short,
/// bench_search in full.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "../src/array/create.h"
#include "../src/array/indexing.h"
#include "../src/array/ops.h"
#include "../src/array/orthonormal.h"
#include "../src/array/random_arrays.h"
#include "../src/layers/hierarchy/hebbian.h"
#include "../src/learning/representation_metrics.h"
#include "../src/learning/sign_test.h"
#include "../src/search/search.h"

namespace gaia::runs {

/// Gaussian samples [steps, d] of the covariance sum_i lambda_i u_i u_i^T, and the rows u_i, both
/// drawn anew for every seed.
struct SpectrumRun {
  Array directions;
  Array samples;

  SpectrumRun(const std::vector<double>& lambda, std::int64_t steps, std::uint64_t seed) {
    const auto d = static_cast<std::int64_t>(lambda.size());
    directions = random_orthonormal(d, d, RandomStream::named(seed, "directions"));
    const Array normal =
        random_normal({steps, d}, 0.0, 1.0, DType::float64, RandomStream::named(seed, "samples"));
    samples = matmul(multiply(normal, sqrt(from_values(lambda, {d}))), directions);
  }
};

/// The share of the first directions that `neurons` under a rule have in their span, the mean over
/// the second half of a run; 0 where the weights diverge.
inline double subspace_found(const PlasticityRule& rule, std::int64_t neurons,
                             const std::vector<double>& lambda, std::int64_t steps,
                             std::uint64_t seed) {
  constexpr std::int64_t kLooks = 10;
  const SpectrumRun data(lambda, steps, seed);
  HebbianLayer layer(
      data.samples.shape(1), neurons,
      {.rule = rule, .dtype = DType::float64, .random = RandomStream::named(seed, "weights")});
  const Array wanted = data.directions.slice(0, 0, neurons);
  layer.process(data.samples.slice(0, 0, steps / 2).expand_dims(0), true);
  double sum = 0.0;
  for (std::int64_t k = 0; k < kLooks; ++k) {
    const std::int64_t from = steps / 2 + steps * k / (2 * kLooks);
    const std::int64_t to = steps / 2 + steps * (k + 1) / (2 * kLooks);
    layer.process(data.samples.slice(0, from, to).expand_dims(0), true);
    sum += metrics::subspace_score(layer.weights(), wanted);
  }
  return std::isfinite(sum) ? sum / kLooks : 0.0;
}

inline const std::vector<double>& oja_spectrum() {
  static const std::vector<double> lambda = {3, 1.5, 1, .8, .6, .5, .4, .3, .2, .1};
  return lambda;
}
inline const std::vector<double>& subspace_spectrum() {
  static const std::vector<double> lambda = {4, 2.5, 1.5, .9, .3, .25, .2, .15, .1, .05};
  return lambda;
}

/// cos^2 of the angle between an Oja neuron and the first principal component.
inline double oja_score(double rate, std::uint64_t seed) {
  return subspace_found(OjaRule{.learning_rate = rate}, 1, oja_spectrum(), 2000, seed);
}

/// How much of the span of four principal components Oja's subspace rule has found.
inline double subspace_rule_score(double rate, std::uint64_t seed) {
  return subspace_found(OjaSubspaceRule{.learning_rate = rate}, 4, subspace_spectrum(), 500, seed);
}

struct BcmRun {
  double selectivity = 0.0;  ///< 1 - mean/max of the responses, the mean over the second half.
  /// mean over the second half of sum_k |response to k - where the rule ends| / n: it ends at n for
  /// the pattern that it prefers and at 0 for the others.
  double distance = 0.0;
};

/// A BCM neuron that is shown n orthonormal patterns in random order, each equally often, from
/// positive responses: BCM-n of Intrator & Cooper (1992).
inline BcmRun bcm_run(double tau, std::uint64_t seed) {
  constexpr std::int64_t n = 3, kSteps = 4000, kLooks = 20;
  const Array patterns = random_orthonormal(n, n, RandomStream::named(seed, "patterns"));
  std::vector<std::int64_t> shown(kSteps);
  const RandomStream order = RandomStream::named(seed, "order");
  for (std::size_t t = 0; t < shown.size(); ++t) shown[t] = order.integer(t, n);
  const Array x = gaia::take(patterns, from_values(shown, {kSteps}), 0);
  HebbianLayer layer(n, 1,
                     {.rule = BcmRule{.learning_rate = 0.01, .tau = tau},
                      .dtype = DType::float64,
                      .random = RandomStream::named(seed, "weights")});
  const Array first =
      random_uniform({1, n}, 0.1, 0.9, DType::float64, RandomStream::named(seed, "responses"));
  layer.set_weights(matmul(first, patterns));
  layer.process(x.slice(0, 0, kSteps / 2).expand_dims(0), true);
  BcmRun run;
  for (std::int64_t k = 0; k < kLooks; ++k) {
    const std::int64_t from = kSteps / 2 + kSteps * k / (2 * kLooks);
    const std::int64_t to = kSteps / 2 + kSteps * (k + 1) / (2 * kLooks);
    layer.process(x.slice(0, from, to).expand_dims(0), true);
    const std::vector<double> r = matmul(patterns, layer.weights().transpose()).to_vector<double>();
    const double largest = *std::max_element(r.begin(), r.end());
    double sum = 0.0, sizes = 0.0;
    for (const double response : r) {
      sum += response;
      sizes += std::abs(response);
    }
    run.selectivity += (1.0 - sum / (n * largest)) / kLooks;
    run.distance += (std::abs(largest - n) + sizes - std::abs(largest)) / n / kLooks;
  }
  return run;
}

/// Minus the distance from where BCM's rule ends; minus infinity where the weights diverge.
inline double bcm_score(double tau, std::uint64_t seed) {
  const double distance = bcm_run(tau, seed).distance;
  return std::isfinite(distance) ? -distance : -std::numeric_limits<double>::infinity();
}

/// `count` seeds, others for every `group`.
inline std::vector<std::uint64_t> seeds_of(std::uint64_t group, std::uint64_t count) {
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t k = 0; k < count; ++k) seeds.push_back(group * 1000 + k);
  return seeds;
}

/// An Oja neuron whose rate falls as rate / (1 + t / halving), with decay: cos^2 to the first
/// principal component, the mean over the last tenth of the run; 0 where the weights diverge.
inline double falling_oja_score(double rate, double halving, double decay, std::uint64_t seed) {
  constexpr std::int64_t kSteps = 2000, kBlock = 20;
  const SpectrumRun data(oja_spectrum(), kSteps, seed);
  HebbianLayer layer(data.samples.shape(1), 1,
                     {.rule = OjaRule{.learning_rate = rate, .decay = decay},
                      .dtype = DType::float64,
                      .random = RandomStream::named(seed, "weights")});
  const Array wanted = data.directions.slice(0, 0, 1);
  double sum = 0.0;
  for (std::int64_t t = 0; t < kSteps; t += kBlock) {
    layer.scale_learning_rate(1.0 / (1.0 + static_cast<double>(t) / halving));
    layer.process(data.samples.slice(0, t, t + kBlock).expand_dims(0), true);
    if (t >= kSteps * 9 / 10) sum += metrics::subspace_score(layer.weights(), wanted);
  }
  return std::isfinite(sum) ? sum / (kSteps / 10 / kBlock) : 0.0;
}

/// Parameters of a rule, and what a run with them is worth.
struct SearchedRule {
  const char* name;
  std::vector<SearchParameter> parameters;
  std::vector<double> by_default;
  double (*score)(std::span<const double> values, std::uint64_t seed);
};

inline SearchedRule oja_rate() {
  return {"Oja's rate",
          {SearchParameter::log("rate", 1e-4, 1)},
          {OjaRule{}.learning_rate},
          [](std::span<const double> v, std::uint64_t seed) { return oja_score(v[0], seed); }};
}
inline SearchedRule bcm_tau() {
  return {"BCM's tau",
          {SearchParameter::log("tau", 2, 2000)},
          {BcmRule{}.tau},
          [](std::span<const double> v, std::uint64_t seed) { return bcm_score(v[0], seed); }};
}
inline SearchedRule subspace_rate() {
  return {"the subspace rule's rate",
          {SearchParameter::log("rate", 1e-4, 1)},
          {OjaSubspaceRule{}.learning_rate},
          [](std::span<const double> v, std::uint64_t seed) {
            return subspace_rule_score(v[0], seed);
          }};
}
inline SearchedRule oja_schedule() {
  return {"Oja's rate, its fall and decay",
          {SearchParameter::log("rate", 1e-4, 1), SearchParameter::log("halving", 1, 1e5),
           SearchParameter::log("decay", 1e-8, 0.1)},
          {OjaRule{}.learning_rate, 1e5, 1e-8},
          [](std::span<const double> v, std::uint64_t seed) {
            return falling_oja_score(v[0], v[1], v[2], seed);
          }};
}

/// The mean score over seeds.
inline double mean_score(const SearchedRule& rule, std::span<const double> values,
                         std::span<const std::uint64_t> seeds) {
  double sum = 0.0;
  for (const std::uint64_t seed : seeds) sum += rule.score(values, seed);
  return sum / static_cast<double>(seeds.size());
}

/// In how many of the searches CMA-ES came out above something, and below it.
struct Tally {
  int above = 0, below = 0;
  double p() const { return sign_test(above, below); }
  void add(double score, double other) {
    above += score > other ? 1 : 0;
    below += score < other ? 1 : 0;
  }
};

/// Searches by CMA-ES and at random with as many candidates, side by side.
struct Duel {
  Tally fitness;        ///< CMA-ES compared with random search, on the searched fitness.
  Tally others;         ///< The same comparison on seeds that were never used.
  Tally default_there;  ///< CMA-ES compared with the rule's default, on those seeds.
  /// Mean scores there: CMA-ES, random search, the default.
  double found = 0.0, by_chance = 0.0, by_default = 0.0;
};

/// A candidate's fitness is the mean over `seeds` runs, with other seeds in each search; what was
/// found is judged by `judges` runs more, the same ones for all.
inline Duel duel(const SearchedRule& rule, int searches, std::uint64_t seeds,
                 std::int64_t evaluations, std::uint64_t judges) {
  Duel result;
  const std::vector<std::uint64_t> never_used = seeds_of(1'000'000, judges);
  result.by_default = mean_score(rule, rule.by_default, never_used);
  for (int k = 1; k <= searches; ++k) {
    const auto number = static_cast<std::uint64_t>(k);
    const std::vector<std::uint64_t> fixed = seeds_of(number, seeds);
    const auto objective = [&](const std::vector<double>& v) {
      return -mean_score(rule, v, fixed);
    };
    const SearchSpace space(rule.parameters);
    SearchOptions options = {.evaluations = evaluations, .random = {number, 9}};
    const SearchResult found = search(objective, space, options);
    // Random search has as many candidates as CMA-ES had, rounded up to whole generations of four.
    options.method = SearchMethod::random;
    options.evaluations = static_cast<std::int64_t>(found.history.size());
    options.population = 4;
    const SearchResult by_chance = search(objective, space, options);
    result.fitness.add(-found.objective, -by_chance.objective);
    const double there = mean_score(rule, found.best, never_used);
    const double there_by_chance = mean_score(rule, by_chance.best, never_used);
    result.others.add(there, there_by_chance);
    result.default_there.add(there, result.by_default);
    result.found += there / searches;
    result.by_chance += there_by_chance / searches;
  }
  return result;
}

}  // namespace gaia::runs
