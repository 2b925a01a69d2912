// SPDX-License-Identifier: MIT
#include "../../src/learning/ridge.h"

#include <cmath>

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

struct Problem {
  std::vector<double> features;  // [rows, 3]
  std::vector<double> targets;
};

/// y = 2 x_0 - x_1 + 0.5 x_2 + 7 + noise, with features far from zero.
Problem make_problem(std::size_t rows, double noise, double offset) {
  Problem p;
  p.features.resize(rows * 3);
  p.targets.resize(rows);
  const RandomStream stream{5, 1};
  stream.normals(0, p.features);
  stream.normals(1000000, p.targets);
  for (double& x : p.features) x += offset;
  for (std::size_t i = 0; i < rows; ++i) {
    const double* x = &p.features[3 * i];
    p.targets[i] = 2 * x[0] - x[1] + 0.5 * x[2] + 7 + noise * p.targets[i];
  }
  return p;
}

}  // namespace

TEST_CASE("ridge regression finds a linear map and its intercept") {
  const Problem p = make_problem(500, 0.0, 3.0);
  RidgeRegression ridge(3);
  ridge.add(p.features, p.targets);
  CHECK_FALSE(ridge.is_solved());
  ridge.solve(0.0);
  REQUIRE(ridge.is_solved());
  CHECK(ridge.weights()[0] == Approx(2.0).epsilon(1e-10));
  CHECK(ridge.weights()[1] == Approx(-1.0).epsilon(1e-10));
  CHECK(ridge.weights()[2] == Approx(0.5).epsilon(1e-10));
  CHECK(ridge.intercept() == Approx(7.0).epsilon(1e-10));
  const std::vector<double> predictions = ridge.predict(p.features);
  for (std::size_t i = 0; i < p.targets.size(); ++i) {
    CHECK(predictions[i] == Approx(p.targets[i]).epsilon(1e-10));
  }
}

TEST_CASE("the cut into blocks does not matter, even far from zero") {
  const Problem p = make_problem(1000, 1.0, 1e6);
  RidgeRegression whole(3);
  whole.add(p.features, p.targets);
  whole.solve(1e-6);
  RidgeRegression cut(3);
  const std::span<const double> x(p.features);
  const std::span<const double> y(p.targets);
  std::size_t first = 0;
  for (const std::size_t rows : {1u, 17u, 300u, 0u, 682u}) {
    cut.add(x.subspan(3 * first, 3 * rows), y.subspan(first, rows));
    first += rows;
  }
  REQUIRE(first == 1000);
  cut.solve(1e-6);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(cut.weights()[k] == Approx(whole.weights()[k]).epsilon(1e-6));
  }
}

TEST_CASE("the solution minimises the penalised error") {
  const Problem p = make_problem(200, 1.0, 0.0);
  const double ridge_parameter = 0.3;
  RidgeRegression ridge(3);
  ridge.add(p.features, p.targets);
  ridge.solve(ridge_parameter);
  double means[3] = {0, 0, 0};
  double variance = 0;
  for (std::size_t i = 0; i < p.features.size(); ++i) means[i % 3] += p.features[i] / 200.0;
  for (std::size_t i = 0; i < p.features.size(); ++i) {
    variance += std::pow(p.features[i] - means[i % 3], 2) / 200.0 / 3.0;
  }
  const auto loss = [&](const std::vector<double>& w, double b) {
    double total = 0;
    for (std::size_t i = 0; i < 200; ++i) {
      const double* x = &p.features[3 * i];
      total += std::pow(p.targets[i] - w[0] * x[0] - w[1] * x[1] - w[2] * x[2] - b, 2) / 200.0;
    }
    for (const double weight : w) total += ridge_parameter * variance * weight * weight;
    return total;
  };
  const double best = loss(ridge.weights(), ridge.intercept());
  for (std::size_t k = 0; k < 4; ++k) {
    for (const double step : {-1e-3, 1e-3}) {
      std::vector<double> w = ridge.weights();
      double b = ridge.intercept();
      (k < 3 ? w[k] : b) += step;
      CHECK(loss(w, b) > best);
    }
  }
}

TEST_CASE("features that are silent or equal do not break the regression") {
  std::vector<double> features;
  std::vector<double> targets;
  for (int i = 0; i < 50; ++i) {
    features.insert(features.end(), {static_cast<double>(i), static_cast<double>(i), 0.0});
    targets.push_back(3.0 * i);
  }
  RidgeRegression ridge(3);
  ridge.add(features, targets);
  ridge.solve(0.0);
  CHECK(ridge.predict(features)[20] == Approx(60.0).epsilon(1e-6));

  RidgeRegression silent(2);
  silent.add(std::vector<double>(20, 0.0), std::vector<double>(10, 4.0));
  silent.solve(1e-6);
  CHECK(silent.predict(std::vector<double>{0.0, 0.0})[0] == Approx(4.0));
}

TEST_CASE("features and targets must fit") {
  RidgeRegression ridge(3);
  CHECK_THROWS_WITH_TEXT(ridge.add(std::vector<double>(7), std::vector<double>(2)), ShapeError,
                         "2 targets need 6 numbers of features, got 7");
}

TEST_CASE("rows that are not finite are refused, and what was added before stays") {
  RidgeRegression ridge(2);
  ridge.add(std::vector<double>{1.0, 2.0, 3.0, 5.0}, std::vector<double>{1.0, 2.0});
  const std::vector<double> before = ridge.state();
  CHECK_THROWS_WITH_TEXT(
      ridge.add(std::vector<double>{1.0, std::nan("")}, std::vector<double>{1.0}), ArgumentError,
      "[RidgeRegression] feature 1 of row 0 is .nan; leave such rows out");
  CHECK_THROWS_WITH_TEXT(ridge.add(std::vector<double>{1.0, 2.0}, std::vector<double>{-INFINITY}),
                         ArgumentError, "[RidgeRegression] target 0 of row 0 is -.inf");
  CHECK(ridge.state() == before);
}

TEST_CASE("a solution is taken over as it is") {
  RidgeRegression ridge(2);
  CHECK_FALSE(ridge.is_solved());
  ridge.set_solution({{2.0, -1.0}, {0.5}, {7.0}});
  CHECK(ridge.is_solved());
  CHECK(ridge.predict(std::vector<double>{3.0, 4.0})[0] == 2.5);
  CHECK(ridge.target_mean() == 7.0);
  RidgeRegression again(2);
  again.set_state(ridge.state());
  CHECK(again.predict(std::vector<double>{3.0, 4.0})[0] == 2.5);
  CHECK_THROWS_WITH_TEXT(ridge.set_solution({{1.0}, {0.0}, {0.0}}), ShapeError,
                         "expected 2 weights, got 1");
}

TEST_CASE("ridge regression takes arrays and gives them") {
  const Problem p = make_problem(100, 0.1, 3.0);
  RidgeRegression of_numbers(3);
  of_numbers.add(p.features, p.targets);
  of_numbers.solve(1e-6);
  RidgeRegression of_arrays(3);
  const Array features = from_values(p.features, {100, 3});
  const Array targets = from_values(p.targets, {100});
  of_arrays.add(features, targets);
  of_arrays.solve(1e-6);
  CHECK(of_arrays.weights() == of_numbers.weights());
  CHECK(of_arrays.predict(features).shape() == Shape{100});
  CHECK(of_arrays.predict(features).to_vector<double>() == of_numbers.predict(p.features));
  CHECK_THROWS_WITH_TEXT(of_arrays.add(features, targets.reshape({100, 1})), ShapeError,
                         "expected features [rows, 3] and targets [rows], got [100, 3] and "
                         "[100, 1]");
  CHECK_THROWS_AS(of_arrays.predict(targets), ShapeError);
}
