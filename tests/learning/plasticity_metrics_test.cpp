// SPDX-License-Identifier: MIT
#include "../../src/learning/plasticity_metrics.h"

#include <cmath>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/array/random_arrays.h"
#include "../../src/core/error.h"
#include "../reference/metrics/metrics.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"

using namespace gaia;
using namespace gaia::test;
using namespace gaia::metrics;
namespace known = gaia::test::metrics_reference;

namespace {

/// After each of three tasks.
Array three_tasks() {
  return array({{0.9, 0.2, 0.1}, {0.6, 0.8, 0.3}, {0.5, 0.7, 0.7}}, DType::float64);
}

}  // namespace

TEST_CASE("metrics of learning are those of a program that shares nothing with gaia") {
  const PlasticityEfficiency path =
      measure_plasticity_efficiency(from_values(known::trajectory, {6, 2, 3}));
  CHECK(path.steps == 5);
  CHECK(path.path == Approx(known::path[0]).epsilon(1e-12));
  CHECK(path.net == Approx(known::path[1]).epsilon(1e-12));
  CHECK(path.efficiency == Approx(known::path[2]).epsilon(1e-12));
  CHECK(path.turnover == Approx(known::path[3]).epsilon(1e-12));
  const Array scores = from_values(known::scores, {4, 4});
  const Forgetting left = measure_forgetting(scores, known::untrained, known::alone);
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(left.of_task[j] == Approx(known::of_task[j]).margin(1e-14));
  }
  CHECK(left.forgetting == Approx(known::transfers[0]).epsilon(1e-12));
  CHECK(left.average == Approx(known::transfers[1]).epsilon(1e-12));
  CHECK(left.backward_transfer == Approx(known::transfers[2]).epsilon(1e-12));
  CHECK(left.forward_transfer == Approx(known::transfers[3]).epsilon(1e-12));
  CHECK(left.intransigence == Approx(known::transfers[4]).epsilon(1e-12));
  const StabilityPlasticity both = measure_stability_plasticity_tradeoff(scores, known::ideal);
  CHECK(both.stability == Approx(known::tradeoff[0]).epsilon(1e-12));
  CHECK(both.plasticity == Approx(known::tradeoff[1]).epsilon(1e-12));
  CHECK(both.overall == Approx(known::tradeoff[2]).epsilon(1e-12));
  CHECK(both.tradeoff == Approx(known::tradeoff[3]).epsilon(1e-12));
}

TEST_CASE("weights that go straight are efficient, and noise is not") {
  const DType dtype = GENERATE(DType::float32, DType::float64);
  WeightPath straight, there_and_back;
  for (int t = 0; t <= 8; ++t) {
    const Array slope = array({{1, -2, 0.5}, {0, 4, -0.25}}, dtype);
    straight.add(multiply(slope, t));
    there_and_back.add(multiply(slope, t <= 4 ? t : 8 - t));
  }
  CHECK(straight.result().efficiency == 1.0);
  CHECK(straight.result().path == 8 * 7.75);
  CHECK(straight.result().turnover == 2.0);  // 8 |slope| over their mean, 4 |slope|
  CHECK(there_and_back.result().efficiency == 0.0);
  CHECK(there_and_back.result().path == straight.result().path);

  // The efficiency of n random steps is 1 / sqrt(n): what the guide's measure takes for the best
  // plasticity.
  WeightPath noise;
  Array w = zeros({100, 100}, DType::float64);
  constexpr int kSteps = 400;
  for (std::uint64_t t = 0; t <= kSteps; ++t) {
    noise.add(w);
    w = add(w, random_normal({100, 100}, 0, 1, DType::float64, {t, 3}));
  }
  CHECK(noise.result().efficiency == Approx(1.0 / std::sqrt(kSteps)).epsilon(0.03));
}

TEST_CASE("what weights gain is told for a change of their own size") {
  // |w| is 1, 2, 3: turnover 2 / 2.
  const PlasticityEfficiency one =
      measure_plasticity_efficiency(array({{1, 0}, {2, 0}, {3, 0}}), std::vector{0.25, 0.5, 0.75});
  CHECK(one.turnover == 1.0);
  CHECK(one.gain == 0.5);
  CHECK(one.gain_per_change == 0.5);
  const PlasticityEfficiency still = measure_plasticity_efficiency(ones({4, 2}));
  CHECK(still.path == 0.0);
  CHECK(std::isnan(still.efficiency));
  CHECK(std::isnan(still.gain));
  CHECK(still.turnover == 0.0);
  CHECK(WeightPath().result().steps == 0);
  Array diverged = ones({2, 2});
  diverged[1].fill(kNaN);
  CHECK(std::isnan(measure_plasticity_efficiency(diverged).efficiency));
  CHECK(std::isnan(measure_plasticity_efficiency(diverged).path));
}

TEST_CASE("an exponential curve reaches nine tenths after tau ln 10 steps") {
  const double sign = GENERATE(1.0, -1.0);  // a score that grows, an error that falls
  const double tau = 20;
  std::vector<double> scores;
  for (int t = 0; t < 600; ++t) scores.push_back(3 + sign * (1 - std::exp(-t / tau)));
  const Adaptation found = measure_adaptation_speed(scores);
  CHECK(found.first == 3.0);
  CHECK(found.final == Approx(3 + sign).epsilon(1e-9));
  CHECK(found.gain == Approx(sign).epsilon(1e-9));
  CHECK(found.steps == Approx(tau * std::log(10.0)).epsilon(1e-4));
  CHECK(found.speed == Approx(1.0 / found.steps).epsilon(1e-12));
  CHECK(found.settled == std::ceil(tau * std::log(10.0)));
  const Adaptation half = measure_adaptation_speed(scores, {.share = 0.5});
  CHECK(half.steps == Approx(tau * std::log(2.0)).epsilon(1e-3));
}

TEST_CASE("a curve that overshoots is fast and settles late, and one that ends outside never") {
  const Adaptation found =
      measure_adaptation_speed(std::vector{0.0, 2.0, 0.0, 1.0, 1.0, 1.0}, {.tail = 2});
  CHECK(found.steps == Approx(0.45).epsilon(1e-12));  // on the line from 0 to 2
  CHECK(found.settled == 3.0);
  CHECK(std::isnan(
      measure_adaptation_speed(std::vector{0.0, 1.0, 2.0, 0.0, 1.4}, {.tail = 3}).settled));
  const Adaptation flat = measure_adaptation_speed(std::vector{1.0, 2.0, 1.0});
  CHECK(flat.gain == 0.0);
  CHECK(flat.speed == 0.0);
  CHECK(std::isnan(flat.steps));
  CHECK(std::isnan(measure_adaptation_speed(std::vector{0.0, kNaN, 1.0}).steps));
}

TEST_CASE("forgetting and transfers of three tasks, by hand") {
  const Forgetting left =
      measure_forgetting(three_tasks(), std::vector{0.0, 0.1, 0.2}, std::vector{0.9, 0.9, 0.9});
  CHECK(left.of_task[0] == Approx(0.4).epsilon(1e-12));
  CHECK(left.of_task[1] == Approx(0.1).epsilon(1e-12));
  CHECK(left.forgetting == Approx(0.25).epsilon(1e-12));
  CHECK(left.average == Approx(1.9 / 3).epsilon(1e-12));
  CHECK(left.backward_transfer == Approx(-0.25).epsilon(1e-12));
  CHECK(left.forward_transfer == Approx(0.1).epsilon(1e-12));
  CHECK(left.intransigence == Approx(0.1).epsilon(1e-12));
  CHECK(std::isnan(measure_forgetting(three_tasks()).forward_transfer));
  CHECK(std::isnan(measure_forgetting(three_tasks()).intransigence));
}

TEST_CASE("later tasks that help are no forgetting, and what was not measured above is left out") {
  const Array helped =
      array({{0.5, kNaN, kNaN}, {0.6, 0.5, kNaN}, {0.9, 0.8, 0.5}}, DType::float64);
  const Forgetting left = measure_forgetting(helped, std::vector{0.0, 0.0, 0.0});
  CHECK(left.of_task[0] == Approx(-0.3).epsilon(1e-12));
  CHECK(left.of_task[1] == Approx(-0.3).epsilon(1e-12));
  CHECK(left.backward_transfer == Approx(0.35).epsilon(1e-12));
  CHECK(std::isnan(left.forward_transfer));
  // Below the diagonal it must have been.
  const Array unknown = array({{0.5, 0, 0}, {kNaN, 0.5, 0}, {0.9, 0.8, 0.5}}, DType::float64);
  CHECK(std::isnan(measure_forgetting(unknown).forgetting));
}

TEST_CASE("either of stability and plasticity is had for nothing, both are not") {
  const StabilityPlasticity found = measure_stability_plasticity_tradeoff(three_tasks(), 0.9);
  CHECK(found.stability == Approx(0.55 / 0.9).epsilon(1e-12));
  CHECK(found.plasticity == Approx(0.75).epsilon(1e-12));
  CHECK(found.overall == Approx((0.7 + 1.9 / 3) / 2 / 0.9).epsilon(1e-12));
  // Weights that never change, and weights that change at once.
  const Array fixed = array({{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}, DType::float64);
  const StabilityPlasticity stays = measure_stability_plasticity_tradeoff(fixed);
  CHECK(stays.stability == 1.0);
  CHECK(stays.plasticity == 0.0);
  CHECK(stays.tradeoff == 0.0);
  const StabilityPlasticity forgets = measure_stability_plasticity_tradeoff(eye(3));
  CHECK(forgets.stability == 0.0);
  CHECK(forgets.plasticity == 1.0);
  CHECK(forgets.tradeoff == 0.0);
  CHECK(measure_stability_plasticity_tradeoff(ones({3, 3})).tradeoff == 1.0);
}

TEST_CASE("a switch of tasks costs a drop and the steps until most of it is made up") {
  const std::vector<double> scores = {0.8, 1.0, 1.0, 0.2, 0.5, 0.9, 0.95, 1.0, 0.5, 0.6, 0.6};
  const AdaptationRobustness found =
      evaluate_adaptation_robustness(scores, std::vector<std::int64_t>{3, 8}, {.window = 2});
  REQUIRE(found.switches.size() == 2);
  CHECK(found.switches[0].before == 1.0);
  CHECK(found.switches[0].drop == Approx(0.8).epsilon(1e-12));
  CHECK(found.switches[0].recovery == 3.0);  // the first at 1 - 0.08 or above
  CHECK(found.switches[1].before == Approx(0.975).epsilon(1e-12));
  CHECK(std::isnan(found.switches[1].recovery));
  CHECK(found.recovered == 1);
  CHECK(found.mean_recovery == 3.0);
  CHECK(found.mean_drop == Approx((0.8 + 0.475) / 2).epsilon(1e-12));
  // No fall, no recovery.
  const AdaptationRobustness rises =
      evaluate_adaptation_robustness(std::vector{0.1, 0.2, 0.4}, std::vector<std::int64_t>{2});
  CHECK(rises.switches[0].recovery == 0.0);
  CHECK(rises.switches[0].drop == Approx(-0.25).epsilon(1e-12));
  CHECK(std::isnan(evaluate_adaptation_robustness(scores, {}).mean_drop));
}

TEST_CASE("a line has its slope, and its end is the mean of the last scores") {
  std::vector<double> scores;
  for (int t = 0; t < 20; ++t) scores.push_back(1 + 0.5 * t);
  const LearningCurve line = evaluate_meta_learning_curve(scores, 3);
  CHECK(line.slope == Approx(0.5).epsilon(1e-12));
  CHECK(line.final == 10.0);
  CHECK(line.gain == 9.0);
  CHECK(line.best == 10.5);
  CHECK(line.mean == Approx(5.75).epsilon(1e-12));
  CHECK(line.rising == Approx(1.0).epsilon(1e-12));
  CHECK(line.spread == Approx(0.5 * std::sqrt(2.0 / 3.0)).epsilon(1e-12));
  CHECK(evaluate_meta_learning_curve(scores).final == 10.25);  // a tenth: the last two
  CHECK(std::isnan(evaluate_meta_learning_curve(std::vector{0.0, kNaN}).slope));
}

TEST_CASE("parameters that come to rest settle, those that swing reverse") {
  const Array history =
      array({{0, 5, 1}, {6, 5, 0}, {9, 5, 1}, {9.5, 5, 0}, {10, 5, 1}}, DType::float64);
  const std::vector<ParameterConvergence> found = evaluate_parameter_convergence(history);
  REQUIRE(found.size() == 3);
  CHECK(found[0].final == 10.0);
  CHECK(found[0].settled == 2);
  CHECK(found[0].reversals == 0.0);
  CHECK(found[1].settled == 0);
  CHECK(found[1].high - found[1].low == 0.0);
  CHECK(found[2].settled == 4);
  CHECK(found[2].reversals == 1.0);
}

TEST_CASE("what metrics of learning cannot read is refused") {
  WeightPath path;
  path.add(ones({2, 2}));
  CHECK_THROWS_WITH_TEXT(path.add(ones({2, 3})), ShapeError,
                         "[WeightPath] expected weights of shape [2, 2] as before, got [2, 3]");
  CHECK_THROWS_WITH_TEXT(measure_plasticity_efficiency(ones({3})), ShapeError,
                         "expected weights [times, ...], got shape [3]");
  CHECK_THROWS_WITH_TEXT(measure_plasticity_efficiency(ones({3, 2}), std::vector{1.0}), ShapeError,
                         "expected a score for each of 3 times, got 1");
  CHECK_THROWS_WITH_TEXT(measure_adaptation_speed(std::vector{1.0}), ArgumentError,
                         "[measure_adaptation_speed] expected two scores or more, got 1");
  CHECK_THROWS_WITH_TEXT(measure_adaptation_speed(std::vector{1.0, 2.0}, {.share = 1}),
                         ArgumentError, "expected a share above 0 and below 1, got 1.0");
  CHECK_THROWS_WITH_TEXT(measure_adaptation_speed(std::vector{1.0, 2.0}, {.tail = 2}),
                         ArgumentError, "expected a tail of 0 to 1 scores, got 2");
  CHECK_THROWS_WITH_TEXT(measure_forgetting(ones({2, 3})), ShapeError, "got shape [2, 3]");
  CHECK_THROWS_WITH_TEXT(measure_forgetting(ones({1, 1})), ShapeError, "two tasks or more");
  CHECK_THROWS_WITH_TEXT(measure_forgetting(ones({2, 2}), std::vector{0.1}), ShapeError,
                         "expected untrained to have 2 scores, one a task, got 1");
  CHECK_THROWS_WITH_TEXT(measure_stability_plasticity_tradeoff(ones({2, 2}), 0), ArgumentError,
                         "expected an ideal score above 0, got 0.0");
  CHECK_THROWS_WITH_TEXT(
      evaluate_adaptation_robustness(std::vector{1.0, 2.0}, std::vector<std::int64_t>{2}),
      ArgumentError, "between 1 and the last of 2 scores, got 2 after 0");
  CHECK_THROWS_WITH_TEXT(evaluate_adaptation_robustness(std::vector{1.0, 2.0}, {}, {.window = 0}),
                         ArgumentError, "a window of 1 or more scores, got 0");
  CHECK_THROWS_WITH_TEXT(evaluate_parameter_convergence(ones({1, 2})), ArgumentError,
                         "expected two steps or more, got 1");
}
