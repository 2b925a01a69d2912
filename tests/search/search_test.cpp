// SPDX-License-Identifier: MIT
#include "../../src/search/search.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "../../src/array/create.h"
#include "../../src/array/indexing.h"
#include "../../src/array/ops.h"
#include "../../src/array/random_arrays.h"
#include "../../src/core/error.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

using Values = std::vector<double>;

double distance(const Values& v) {
  return std::pow(std::log(v[0] / 0.02), 2) + std::pow((v[1] - 30) / 50, 2);
}

SearchSpace rate_and_tau() {
  return SearchSpace({SearchParameter::log("rate", 1e-5, 1), SearchParameter::real("tau", 1, 100)});
}

/// Samples whose variance is 3 along one direction of six and 1 along the others.
Array samples(std::uint64_t seed, std::int64_t steps) {
  constexpr std::int64_t kInputs = 6;
  Array x = random_normal({steps, kInputs}, 0, 1, DType::float64, {seed, 1});
  Array direction = random_normal({1, kInputs}, 0, 1, DType::float64, {seed, 2});
  direction = divide(direction, sqrt(sum(square(direction))));
  return add(x, multiply(matmul(matmul(x, direction.transpose()), direction), std::sqrt(3.0) - 1));
}

/// What is left, on the mean over the second half, of the variance that a neuron should have found.
double loss_of_oja(double rate, std::uint64_t seed) {
  const Array x = samples(seed, 1000);
  HebbianLayer layer(
      x.shape(1), 1,
      {.rule = OjaRule{.learning_rate = rate}, .dtype = DType::float64, .random = {7, 7}});
  const std::int64_t half = x.shape(0) / 2;
  layer.process(x.slice(0, 0, half).expand_dims(0), true);
  double loss = 0;
  for (std::int64_t t = half; t < x.shape(0); t += 50) {
    layer.process(x.slice(0, t, t + 50).expand_dims(0), true);
    const Array w = layer.weights();
    const Array y = matmul(x, w.transpose());
    const double length = sum(square(w)).item();
    loss += 3 - mean(square(y)).item() / length + std::abs(length - 1);
  }
  return std::isfinite(loss) ? loss : 1e6;
}

/// How far a BCM neuron's answers to four patterns are from the rule's fixed point, which is 4 for
/// one of them and 0 for the others, over the second half.
double loss_of_bcm(double tau, std::uint64_t seed) {
  constexpr std::int64_t kPatterns = 4, kInputs = 6, kSteps = 2000;
  const Array patterns = random_uniform({kPatterns, kInputs}, 0, 1, DType::float64, {seed, 3});
  std::vector<std::int64_t> shown;
  for (std::uint64_t t = 0; t < kSteps; ++t) {
    shown.push_back(RandomStream{seed, 4}.integer(t, kPatterns));
  }
  const Array x = gaia::take(patterns, from_values(shown, {kSteps}), 0);
  HebbianLayer layer(kInputs, 1,
                     {.rule = BcmRule{.learning_rate = 0.02, .tau = tau},
                      .dtype = DType::float64,
                      .random = {seed, 5}});
  layer.process(x.slice(0, 0, kSteps / 2).expand_dims(0), true);
  double loss = 0;
  for (std::int64_t t = kSteps / 2; t < kSteps; t += 50) {
    layer.process(x.slice(0, t, t + 50).expand_dims(0), true);
    const Array y = matmul(patterns, layer.weights().transpose());
    loss += std::abs(max(y).item() - 4) + (sum(abs(y)).item() - std::abs(max(y).item()));
  }
  return std::isfinite(loss) ? loss : 1e6;
}

}  // namespace

TEST_CASE("a search finds a rate on its scale and a time constant on its own") {
  const SearchResult found =
      search(distance, rate_and_tau(), {.evaluations = 600, .random = {1, 2}});
  CHECK(found.best[0] == Approx(0.02).epsilon(1e-4));
  CHECK(found.best[1] == Approx(30).epsilon(1e-4));
  CHECK(found.objective == distance(found.best));
  CHECK(found.history.size() >= 600);
  CHECK(found.why_stopped == "all evaluations are done");
  for (const SearchTrial& trial : found.history) CHECK(trial.objective >= found.objective);
}

TEST_CASE(
    "a search ends with the generation that reaches its target, and begins where it is told") {
  const SearchResult found =
      search(distance, rate_and_tau(),
             {.target = 1e-3, .start = {0.01, 20}, .step = 0.05, .random = {1, 2}});
  CHECK(found.why_stopped == "the target is reached");
  CHECK(found.objective <= 1e-3);
  CHECK(found.history.size() < 300);
  for (std::size_t k = 0; k < 6; ++k) {  // the first generation
    CHECK(std::abs(std::log(found.history[k].values[0] / 0.01)) < 2.5);
  }
}

TEST_CASE("a search that was cut goes on by its history, to the same end") {
  for (const SearchMethod method : {SearchMethod::cma_es, SearchMethod::random}) {
    const SearchOptions options = {.method = method, .evaluations = 200, .random = {5, 6}};
    const SearchResult whole = search(distance, rate_and_tau(), options);
    Search cut(rate_and_tau(), options);
    std::size_t told = 0;
    while (!cut.is_done()) {
      Values objectives;
      for (const Values& values : cut.ask()) {
        REQUIRE(values == whole.history[told].values);
        objectives.push_back(whole.history[told++].objective);
      }
      cut.tell(objectives);
    }
    CHECK(told == whole.history.size());
    CHECK(cut.result().best == whole.best);
    CHECK(cut.result().objective == whole.objective);
    CHECK_THROWS_WITH_TEXT(cut.tell({}), ArgumentError, "the search is done: all evaluations");
  }
}

TEST_CASE("a search that gets no further begins again with twice the population") {
  // One minimum of a hundred is the best.
  const auto rastrigin = [](const Values& v) {
    double sum = 0;
    for (const double x : v) sum += 10 + x * x - 10 * std::cos(2 * std::numbers::pi * x);
    return sum;
  };
  const SearchSpace space({SearchParameter::real("a", -4, 6), SearchParameter::real("b", -6, 4)});
  int solved = 0, begun_again = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const SearchResult found =
        search(rastrigin, space, {.evaluations = 20000, .target = 1e-9, .random = {seed, 1}});
    solved += found.objective <= 1e-9 ? 1 : 0;
    begun_again += found.restarts > 0 ? 1 : 0;
    std::set<std::int64_t> sizes;
    for (std::size_t k = 0; k < found.history.size();) {
      const std::int64_t generation = found.history[k].generation;
      std::int64_t size = 0;
      for (; k < found.history.size() && found.history[k].generation == generation; ++k) ++size;
      sizes.insert(size);
    }
    CHECK(static_cast<std::int64_t>(sizes.size()) == found.restarts + 1);
    for (const std::int64_t size : sizes)
      CHECK((size % 6 == 0 && (size / 6 & (size / 6 - 1)) == 0));
  }
  CHECK(solved == 10);
  CHECK(begun_again > 0);
}

TEST_CASE("whole numbers and choices are searched") {
  const SearchSpace space(
      {SearchParameter::integer("size", 1, 64), SearchParameter::choice("kind", 3)});
  const SearchResult found =
      search([](const Values& v) { return std::pow(v[0] - 37, 2) + (v[1] == 2 ? 0 : 50); }, space,
             {.evaluations = 400, .random = {3, 1}});
  CHECK(found.best == Values{37, 2});
  CHECK(found.objective == 0);
}

TEST_CASE("objectives that are no numbers are worse than all") {
  const auto partly = [](const Values& v) {
    return v[0] < 0.3 ? std::numeric_limits<double>::quiet_NaN() : v[0];
  };
  const SearchSpace space({SearchParameter::real("a", 0, 1)});
  for (const SearchMethod method : {SearchMethod::cma_es, SearchMethod::random}) {
    const SearchResult found =
        search(partly, space, {.method = method, .evaluations = 300, .random = {2, 1}});
    CHECK(found.objective >= 0.3);
    CHECK(found.objective < 0.31);
  }
}

TEST_CASE("options of a search that are out of their range are refused") {
  const SearchSpace space = rate_and_tau();
  CHECK_THROWS_WITH_TEXT(Search(space, {.evaluations = 0}), ArgumentError,
                         "[search] evaluations must be >= 1, got 0");
  CHECK_THROWS_WITH_TEXT(Search(space, {.population = 2}), ArgumentError,
                         "[search] population must be 0 or >= 4, got 2");
  CHECK_THROWS_WITH_TEXT(Search(space, {.step = -1}), ArgumentError, "step must be > 0, got -1.0");
  CHECK_THROWS_WITH_TEXT(Search(space, {.start = {2, 5}}), ArgumentError, "parameter 'rate'");
  Search one(space, {.random = {1, 1}});
  CHECK_THROWS_WITH_TEXT(one.tell(Values(2)), ArgumentError,
                         "expected the objectives of 6 candidates, got 2");
}

TEST_CASE("Oja's rate and BCM's tau are found better by CMA-ES than at random, in 18 of 20 seeds") {
  using Loss = double (*)(double, std::uint64_t);
  struct Searched {
    SearchParameter parameter;
    double by_default;
    Loss loss;
  };
  for (const auto& [parameter, by_default, loss] :
       {Searched{SearchParameter::log("rate", 1e-6, 1), 0.01, loss_of_oja},
        Searched{SearchParameter::log("tau", 2, 2000), 50, loss_of_bcm}}) {
    INFO(parameter.name);
    int ahead = 0, above_default = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto objective = [&, of = loss](const Values& v) { return of(v[0], seed); };
      SearchOptions options = {.evaluations = 120, .random = {seed, 9}};
      const double found = search(objective, SearchSpace({parameter}), options).objective;
      options.method = SearchMethod::random;
      const double by_chance = search(objective, SearchSpace({parameter}), options).objective;
      ahead += found < by_chance ? 1 : 0;
      above_default += found < loss(by_default, seed) ? 1 : 0;
    }
    CHECK(ahead >= 18);
    CHECK(above_default >= 18);
  }
}
