// SPDX-License-Identifier: MIT
/// \file
/// MO-CMA-ES compared with a plain loop written from the paper (Igel, Hansen & Roth 2007), and on
/// functions of which the front is known.
#include "../../src/search/mo_cma_es.h"

#include <algorithm>
#include <cmath>

#include "../../src/core/error.h"
#include "../reference/rows.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Numbers = std::vector<double>;

/// Squared distances to two points, the second on a stretched scale.
Objectives bowls(const Numbers& x) {
  double a = 0.0;
  double b = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double stretch = 1.0 + static_cast<double>(j);
    a += stretch * (x[j] - 0.1) * (x[j] - 0.1);
    b += stretch * (x[j] - 0.8) * (x[j] - 0.8) + (j > 0 ? 0.5 * (x[j] - x[0]) * (x[j] - x[0]) : 0);
  }
  return {a, b};
}

std::vector<Numbers> first_points(std::size_t count, std::size_t n) {
  std::vector<Numbers> points(count, Numbers(n));
  const RandomStream random{7, 7};
  for (std::size_t k = 0; k < count; ++k) random.uniforms(k * n, points[k]);
  return points;
}

struct Plain {
  Numbers x;
  Numbers path;
  std::vector<Numbers> c;
  double step = 0;
  double success = 0;
  Objectives f;
};

}  // namespace

TEST_CASE("MO-CMA-ES goes the way of the paper's equations") {
  constexpr std::size_t n = 4;
  constexpr std::size_t mu = 6;
  constexpr double alpha = 1e-2;
  const RandomStream random{11, 5};
  const Numbers low(n, 0.0);
  const Numbers high(n, 0.7);  // one of the two best points lies outside
  MoCmaEs strategy(first_points(mu, n), 0.4,
                   {.low = low, .high = high, .penalty = alpha, .random = random});
  const double target = 1.0 / (5.0 + 0.5);
  const double c_success = target / (2.0 + target);
  const double damping = 1.0 + n / 2.0;
  const double c_path = 2.0 / (n + 2.0);
  const double c_cov = 2.0 / (n * n + 6.0);
  const auto clipped = [&](Numbers x) {
    for (std::size_t j = 0; j < n; ++j) x[j] = std::min(high[j], std::max(low[j], x[j]));
    return x;
  };
  const auto value = [&](const Numbers& x) {
    Objectives f = bowls(clipped(x));
    double out = 0.0;
    for (std::size_t j = 0; j < n; ++j) out += std::pow(x[j] - clipped(x)[j], 2);
    for (double& one : f) one += alpha * out;
    return f;
  };
  std::vector<Plain> parents;
  for (std::size_t generation = 0; generation < 40; ++generation) {
    CAPTURE(generation);
    const auto asked = strategy.ask();
    REQUIRE(asked.size() == mu);
    std::vector<Objectives> told;
    for (const Numbers& x : asked) told.push_back(bowls(x));
    strategy.tell(told);

    std::vector<Plain> all = parents;
    std::vector<Numbers> steps;
    if (generation == 0) {
      for (const Numbers& x : first_points(mu, n)) {
        std::vector<Numbers> round(n, Numbers(n, 0.0));
        for (std::size_t j = 0; j < n; ++j) round[j][j] = 1.0;
        all.push_back({x, Numbers(n, 0.0), round, 0.4, target, value(x)});
      }
    } else {
      for (std::size_t k = 0; k < mu; ++k) {
        Plain child = parents[k];
        Numbers z(n);
        random.normals((generation * mu + k) * n, z);
        const std::vector<Numbers> l = test::cholesky(child.c);
        Numbers y(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j <= i; ++j) y[i] += l[i][j] * z[j];
          child.x[i] += child.step * y[i];
        }
        child.f = value(child.x);
        for (std::size_t j = 0; j < n; ++j) {
          CHECK_THAT(asked[k][j], Catch::Matchers::WithinAbs(clipped(child.x)[j], 1e-10));
        }
        steps.push_back(y);
        all.push_back(child);
      }
    }
    std::vector<Objectives> values;
    for (const Plain& one : all) values.push_back(one.f);
    const std::vector<std::size_t> order = order_by_dominance(values);
    const auto place = [&](std::size_t i) {
      return std::find(order.begin(), order.end(), i) - order.begin();
    };
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const double succeeded = place(mu + k) < place(k) ? 1.0 : 0.0;
      for (Plain* one : {&all[k], &all[mu + k]}) {
        one->success = (1 - c_success) * one->success + c_success * succeeded;
        one->step *=
            std::exp(1 / damping * (one->success - target / (1 - target) * (1 - one->success)));
      }
      Plain& child = all[mu + k];
      const bool moves = child.success < 0.44;
      for (std::size_t j = 0; j < n; ++j) {
        child.path[j] = (1 - c_path) * child.path[j] +
                        (moves ? std::sqrt(c_path * (2 - c_path)) * steps[k][j] : 0.0);
      }
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          const double more = moves ? 0.0 : c_path * (2 - c_path) * child.c[i][j];
          child.c[i][j] =
              (1 - c_cov) * child.c[i][j] + c_cov * (child.path[i] * child.path[j] + more);
        }
      }
    }
    parents.clear();
    for (std::size_t k = 0; k < mu; ++k) parents.push_back(all[order[k]]);
    REQUIRE(strategy.parents().size() == mu);
    for (std::size_t k = 0; k < mu; ++k) {
      const MoCmaEsParent& own = strategy.parents()[k];
      CHECK_THAT(own.step, Catch::Matchers::WithinRel(parents[k].step, 1e-10));
      CHECK_THAT(own.success, Catch::Matchers::WithinAbs(parents[k].success, 1e-10));
      for (std::size_t i = 0; i < n; ++i) {
        CHECK_THAT(own.point[i], Catch::Matchers::WithinAbs(parents[k].x[i], 1e-10));
        CHECK_THAT(own.path[i], Catch::Matchers::WithinAbs(parents[k].path[i], 1e-10));
        for (std::size_t j = 0; j < n; ++j) {
          CHECK_THAT(own.covariance[i * n + j],
                     Catch::Matchers::WithinAbs(parents[k].c[i][j], 1e-10));
        }
      }
    }
  }
  CHECK(strategy.generation() == 40);
}

TEST_CASE("MO-CMA-ES finds a front that is known") {
  // |x - a|^2 and |x - b|^2 with |a - b| = 1: the front is (t^2, (1 - t)^2) on the line between.
  const auto values_of = [](const Numbers& x) {
    return Objectives{x[0] * x[0] + x[1] * x[1] + x[2] * x[2],
                      (x[0] - 1) * (x[0] - 1) + x[1] * x[1] + x[2] * x[2]};
  };
  MoCmaEs strategy(first_points(20, 3), 0.3, {.random = {1, 0}});
  for (int generation = 0; generation < 150; ++generation) {
    std::vector<Objectives> values;
    for (const Numbers& x : strategy.ask()) values.push_back(values_of(x));
    strategy.tell(values);
  }
  std::vector<Objectives> front;
  for (const MoCmaEsParent& one : strategy.parents()) {
    CHECK(std::abs(one.point[1]) + std::abs(one.point[2]) < 0.05);
    front.push_back(one.values);
  }
  // Hypervolumes of 20 points evenly on the front, and of the whole front: 1 - integral of (1 -
  // sqrt(f))^2 = 5/6.
  std::vector<Objectives> even;
  for (int i = 0; i < 20; ++i) even.push_back({std::pow(i / 19.0, 2), std::pow(1 - i / 19.0, 2)});
  const Objectives reference = {1.0, 1.0};
  CHECK(hypervolume(front, reference) > hypervolume(even, reference) - 0.005);
  CHECK(hypervolume(front, reference) < 5.0 / 6.0);
  CHECK(strategy.why_stopped().empty());
}

TEST_CASE("values that are not finite are worse than any others") {
  const auto tell = [](MoCmaEs& strategy) {
    std::vector<Objectives> values;
    for (const Numbers& x : strategy.ask()) {
      values.push_back(x[0] > 0.5 ? Objectives{kNaN, 0.0} : Objectives{x[0], 1.0 - x[0] + x[1]});
    }
    strategy.tell(values);
  };
  MoCmaEs strategy(first_points(8, 2), 0.3, {.low = {0, 0}, .high = {1, 1}, .random = {2, 0}});
  for (int i = 0; i < 20; ++i) tell(strategy);
  for (const MoCmaEsParent& one : strategy.parents()) CHECK(std::isfinite(one.values[0]));
}

TEST_CASE("told the same values again, MO-CMA-ES asks for the same candidates") {
  const MoCmaEsOptions options{.low = Numbers(3, 0.0), .high = Numbers(3, 1.0), .random = {3, 9}};
  MoCmaEs whole(first_points(6, 3), 0.2, options);
  std::vector<std::vector<Objectives>> history;
  for (int i = 0; i < 12; ++i) {
    std::vector<Objectives> values;
    for (const Numbers& x : whole.ask()) values.push_back(bowls(x));
    history.push_back(values);
    whole.tell(values);
  }
  MoCmaEs again(first_points(6, 3), 0.2, options);
  for (const auto& values : history) again.tell(values);
  CHECK(again.ask() == whole.ask());
}

TEST_CASE("MO-CMA-ES says what it cannot begin with, and when it has come to rest") {
  const auto points = first_points(4, 2);
  CHECK_THROWS_WITH_TEXT(MoCmaEs({}, 1.0), ArgumentError, "at least one parameter, got 0");
  CHECK_THROWS_WITH_TEXT(MoCmaEs({{1.0}, {1.0, 2.0}}, 1.0), ArgumentError,
                         "first points of 1 parameters, got 2");
  CHECK_THROWS_WITH_TEXT(MoCmaEs({{kNaN}}, 1.0), ArgumentError, "must be finite, got .nan");
  CHECK_THROWS_WITH_TEXT(MoCmaEs(points, 0.0), ArgumentError, "the step must be > 0");
  CHECK_THROWS_WITH_TEXT(MoCmaEs(points, 1.0, {.objectives = 1}), ArgumentError,
                         "at least 2 objectives, got 1");
  CHECK_THROWS_WITH_TEXT(MoCmaEs(points, 1.0, {.penalty = -1.0}), ArgumentError, "penalty");
  CHECK_THROWS_WITH_TEXT(MoCmaEs(points, 1.0, {.low = {0, 0}}), ArgumentError,
                         "2 lower and as many upper bounds, got 2 and 0");
  CHECK_THROWS_WITH_TEXT(MoCmaEs(points, 1.0, {.low = {0, 1}, .high = {1, 1}}), ArgumentError,
                         "of parameter 1");
  MoCmaEs strategy(points, 1.0, {.step_tolerance = 1e-3, .random = {1, 1}});
  CHECK_THROWS_WITH_TEXT(strategy.tell({{0.0, 0.0}}), ArgumentError,
                         "the values of 4 candidates, got 1");
  CHECK_THROWS_WITH_TEXT(strategy.tell({{0.0}, {0.0}, {0.0}, {0.0}}), ArgumentError,
                         "the values of 2 objectives, got 1");
  // Nothing is ever better than the first values, so steps shrink.
  int generations = 0;
  for (; strategy.why_stopped().empty() && generations < 1000; ++generations) {
    const double worse = static_cast<double>(generations);
    strategy.tell(std::vector<Objectives>(4, {worse, worse}));
  }
  CHECK(strategy.why_stopped() == "the steps are too small to matter");
  CHECK(generations > 20);
}
