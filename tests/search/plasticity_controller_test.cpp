// SPDX-License-Identifier: MIT
#include "../../src/search/plasticity_controller.h"

#include <cmath>
#include <limits>
#include <set>

#include "../../src/core/error.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

using Values = std::vector<double>;
using Parameters = std::span<const double>;

SearchSpace rate_and_tau() {
  return SearchSpace({SearchParameter::log("rate", 1e-4, 1), SearchParameter::real("tau", 1, 100)});
}

/// Best at rate 0.05 and tau 20, with noise that follows from the seed alone.
double noisy(Parameters p, std::uint64_t seed) {
  std::vector<double> noise(1);
  RandomStream{seed, 3}.normals(0, noise);
  return noise[0] - std::pow(std::log10(p[0] / 0.05), 2) - std::pow((p[1] - 20) / 50, 2);
}

}  // namespace

TEST_CASE("candidates have scores of their own, and the best of them is kept") {
  PlasticityController controller(rate_and_tau(), noisy, {.start = {0.01, 50}, .random = {1, 1}});
  CHECK(std::isnan(controller.performance()));
  CHECK(controller.current_params() == Values{0.01, 50});
  for (int generation = 0; generation < 12; ++generation) controller.adapt_plasticity();

  const SearchResult& found = controller.search_result();
  std::set<double> of_generation;
  double best = -1e300;
  for (const SearchTrial& trial : found.history) {
    if (trial.generation == 0) of_generation.insert(trial.objective);
    best = std::max(best, -trial.objective);
  }
  CHECK(of_generation.size() == 6);
  // The mean of three runs with the seeds 1, 2 and 3, and nothing else.
  const auto mean = [](const Values& p) { return (noisy(p, 1) + noisy(p, 2) + noisy(p, 3)) / 3; };
  CHECK(controller.performance() == Approx(mean(controller.current_params())).epsilon(1e-12));
  CHECK(controller.performance() == best);
  CHECK(best > mean({0.01, 50}));
  CHECK(controller.current_params()[0] == Approx(0.05).epsilon(0.2));
  CHECK(controller.runs() == 3 * static_cast<std::int64_t>(found.history.size() + 1));

  REQUIRE(controller.performance_history().size() == 13);
  REQUIRE(controller.param_history().size() == 13);
  CHECK(controller.param_history()[0] == Values{0.01, 50});
  for (std::size_t k = 1; k < 13; ++k) {
    CHECK(controller.performance_history()[k] >= controller.performance_history()[k - 1]);
  }
}

TEST_CASE("the same options give the same candidates, from another start again") {
  PlasticityController one(rate_and_tau(), noisy, {.random = {4, 2}});
  PlasticityController two(rate_and_tau(), noisy, {.random = {4, 2}});
  for (int generation = 0; generation < 5; ++generation) one.adapt_plasticity();
  for (int generation = 0; generation < 5; ++generation) two.adapt_plasticity();
  CHECK(one.param_history() == two.param_history());
  CHECK(one.current_params() != one.param_history()[0]);
  one.reset_state();
  CHECK(one.runs() == 0);
  CHECK(one.current_params() == two.param_history()[0]);
  for (int generation = 0; generation < 5; ++generation) one.adapt_plasticity();
  CHECK(one.param_history() == two.param_history());
}

TEST_CASE("where the objective is flat nothing drifts") {
  const SearchMethod method = GENERATE(SearchMethod::cma_es, SearchMethod::random);
  PlasticityController controller(rate_and_tau(), [](Parameters, std::uint64_t) { return 0.5; },
                                  {.start = {0.01, 50}, .method = method, .random = {1, 1}});
  for (int generation = 0; generation < 40; ++generation) {
    CHECK(controller.adapt_plasticity() == 0.5);
    CHECK(controller.current_params() == Values{0.01, 50});
  }
}

TEST_CASE("what is better by the luck of its seeds alone is not taken on") {
  // With the seeds 1 to 3 a large rate is better, with all others it is worse.
  const auto lucky = [](Parameters p, std::uint64_t seed) {
    return (seed <= 3 ? 1 : -1) * std::log10(p[0]);
  };
  const PlasticityControllerOptions options = {.start = {0.01, 50}, .random = {1, 1}};
  PlasticityController deceived(rate_and_tau(), lucky, options);
  PlasticityControllerOptions careful_options = options;
  careful_options.held_out_seeds = {11, 12};
  PlasticityController careful(rate_and_tau(), lucky, careful_options);
  for (int generation = 0; generation < 10; ++generation) {
    deceived.adapt_plasticity();
    careful.adapt_plasticity();
  }
  CHECK(deceived.current_params()[0] > 0.5);
  CHECK(careful.current_params() == Values{0.01, 50});
  CHECK(careful.performance() == 2.0);
  // What is better with both is.
  PlasticityController honest(rate_and_tau(), noisy, careful_options);
  for (int generation = 0; generation < 10; ++generation) honest.adapt_plasticity();
  CHECK(honest.current_params()[0] == Approx(0.05).epsilon(0.3));
  CHECK(honest.performance() ==
        Approx((noisy(honest.current_params(), 11) + noisy(honest.current_params(), 12)) / 2)
            .epsilon(1e-12));
}

TEST_CASE("candidates whose score is no number are worse than all, the start too") {
  const auto partly = [](Parameters p, std::uint64_t seed) {
    if (p[0] > 0.1) return seed == 2 ? std::numeric_limits<double>::quiet_NaN() : 9.0;
    if (p[0] > 0.03) return std::numeric_limits<double>::infinity();
    return p[0];
  };
  PlasticityController controller(rate_and_tau(), partly, {.start = {0.5, 50}, .random = {2, 1}});
  for (int generation = 0; generation < 15; ++generation) controller.adapt_plasticity();
  CHECK(std::isnan(controller.performance_history()[0]));
  CHECK(controller.performance() <= 0.03);
  CHECK(controller.performance() > 0.02);
}

TEST_CASE("ES-sphere: 3000 evaluations find the middle of six parameters") {
  // From distance^2 6 with a step of 0.1, 50 candidates in each of 60 generations; rate 0.5 is the
  // guide's, and 1 CMA-ES's own.
  const double rate = GENERATE(0.5, 1.0);
  std::vector<SearchParameter> axes;
  for (int i = 0; i < 6; ++i) axes.push_back(SearchParameter::real(std::to_string(i), -2, 2));
  const auto sphere = [](Parameters p, std::uint64_t) {
    double squares = 0;
    for (const double x : p) squares += x * x;
    return -squares;
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PlasticityController controller(SearchSpace(axes), sphere,
                                    {.start = Values(6, 1.0),
                                     .seeds = {1},
                                     .adaptation_rate = rate,
                                     .exploration_noise = 0.1 / 4,
                                     .population_size = 50,
                                     .random = {seed, 1}});
    for (int generation = 0; generation < 60; ++generation) controller.adapt_plasticity();
    CAPTURE(seed, rate, controller.performance());
    CHECK(controller.runs() == 3001);
    CHECK(controller.performance_history()[0] == -6.0);
    CHECK(-controller.performance() < 5e-3);
  }
}

TEST_CASE("a controller that cannot work is refused") {
  const auto make = [](PlasticityControllerOptions options) {
    PlasticityController(rate_and_tau(), noisy, std::move(options));
  };
  CHECK_THROWS_WITH_TEXT(PlasticityController(rate_and_tau(), nullptr), ArgumentError,
                         "[PlasticityController] expected an objective to call");
  CHECK_THROWS_WITH_TEXT(make({.seeds = {}}), ArgumentError, "expected a seed or more");
  CHECK_THROWS_WITH_TEXT(make({.held_out_seeds = {7, 2}}), ArgumentError,
                         "held-out seeds that are not among the seeds, got 2 in both");
  CHECK_THROWS_WITH_TEXT(make({.start = {2, 50}}), ArgumentError, "parameter 'rate'");
  CHECK_THROWS_WITH_TEXT(make({.adaptation_rate = 0}), ArgumentError,
                         "mean_rate must be above 0 and up to 1, got 0.0");
  CHECK_THROWS_WITH_TEXT(make({.exploration_noise = -1}), ArgumentError, "step must be > 0");
  CHECK_THROWS_WITH_TEXT(make({.population_size = 3}), ArgumentError, "population must be 0 or");
}
