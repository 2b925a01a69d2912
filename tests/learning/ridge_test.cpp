// SPDX-License-Identifier: MIT
#include "../../src/learning/ridge.h"

#include <algorithm>
#include <cmath>
#include <span>

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

namespace {

/// Powers of a number in [0, 1), which are all but dependent, and two targets of them.
struct Powers {
  static constexpr std::int64_t kRows = 300;
  static constexpr std::int64_t kFeatures = 10;
  std::vector<double> features;
  std::vector<double> targets;

  explicit Powers(double offset = 0.0) {
    std::vector<double> numbers(kRows);
    RandomStream{3, 1}.uniforms(0, numbers);
    for (const double number : numbers) {
      for (std::int64_t k = 1; k <= kFeatures; ++k) {
        features.push_back(offset + std::pow(number, static_cast<double>(k)));
      }
      targets.push_back(std::sin(9.0 * number) + 4.0);
      targets.push_back(1.0 / (0.1 + number));
    }
  }
};

/// Weights and intercepts [targets, features + 1] by the definition: modified Gram-Schmidt, done
/// twice, of the centred rows and those of the ridge below them, in numbers of 80 bits.
std::vector<long double> by_definition(const std::vector<double>& features,
                                       const std::vector<double>& targets, std::int64_t n,
                                       std::int64_t outputs, long double ridge) {
  const auto rows = static_cast<std::int64_t>(targets.size()) / outputs;
  const std::int64_t all = rows + n;
  std::vector<std::vector<long double>> columns;
  std::vector<long double> means;
  const auto column_of = [&](const std::vector<double>& values, std::int64_t width,
                             std::int64_t c) {
    std::vector<long double> column(static_cast<std::size_t>(all), 0.0L);
    long double mean = 0.0L;
    for (std::int64_t r = 0; r < rows; ++r) {
      mean += static_cast<long double>(values[static_cast<std::size_t>(r * width + c)]);
    }
    mean /= static_cast<long double>(rows);
    for (std::int64_t r = 0; r < rows; ++r) {
      column[static_cast<std::size_t>(r)] =
          static_cast<long double>(values[static_cast<std::size_t>(r * width + c)]) - mean;
    }
    columns.push_back(std::move(column));
    means.push_back(mean);
  };
  for (std::int64_t c = 0; c < n; ++c) column_of(features, n, c);
  long double trace = 0.0L;
  for (const auto& column : columns) {
    for (const long double value : column) trace += value * value;
  }
  for (std::int64_t c = 0; c < n; ++c) {
    columns[static_cast<std::size_t>(c)][static_cast<std::size_t>(rows + c)] =
        std::sqrt(ridge * trace / static_cast<long double>(n));
  }
  for (std::int64_t k = 0; k < outputs; ++k) column_of(targets, outputs, k);
  const auto size = static_cast<std::size_t>(n + outputs);
  std::vector<std::vector<long double>> r(size, std::vector<long double>(size, 0.0L));
  for (std::size_t j = 0; j < size; ++j) {
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < std::min(j, static_cast<std::size_t>(n)); ++i) {
        long double dot = 0.0L;
        for (std::size_t k = 0; k < columns[i].size(); ++k) dot += columns[i][k] * columns[j][k];
        r[i][j] += dot;
        for (std::size_t k = 0; k < columns[i].size(); ++k) columns[j][k] -= dot * columns[i][k];
      }
    }
    if (j >= static_cast<std::size_t>(n)) continue;
    long double norm = 0.0L;
    for (const long double value : columns[j]) norm += value * value;
    r[j][j] = std::sqrt(norm);
    for (long double& value : columns[j]) value /= r[j][j];
  }
  std::vector<long double> found;
  for (std::int64_t k = 0; k < outputs; ++k) {
    const auto target = static_cast<std::size_t>(n + k);
    std::vector<long double> w(static_cast<std::size_t>(n));
    for (std::size_t i = w.size(); i-- > 0;) {
      long double rest = r[i][target];
      for (std::size_t j = i + 1; j < w.size(); ++j) rest -= r[i][j] * w[j];
      w[i] = rest / r[i][i];
    }
    long double intercept = means[target];
    for (std::size_t i = 0; i < w.size(); ++i) intercept -= w[i] * means[i];
    found.insert(found.end(), w.begin(), w.end());
    found.push_back(intercept);
  }
  return found;
}

/// Greatest difference of predictions from those of the definition, in deviations of 1.
double distance(RidgeRegression& ridge, const Powers& powers, long double by) {
  const auto w = by_definition(powers.features, powers.targets, Powers::kFeatures, 2, by);
  const std::vector<double> predicted = ridge.predict(powers.features);
  double worst = 0.0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(Powers::kRows); ++row) {
    for (std::size_t k = 0; k < 2; ++k) {
      const long double* const of = &w[k * (Powers::kFeatures + 1)];
      long double expected = of[Powers::kFeatures];
      for (std::size_t c = 0; c < static_cast<std::size_t>(Powers::kFeatures); ++c) {
        expected += of[c] * static_cast<long double>(powers.features[row * Powers::kFeatures + c]);
      }
      worst = std::max(worst, std::abs(predicted[2 * row + k] - static_cast<double>(expected)));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("a ridge regression by QR keeps the digits that normal equations lose") {
  const Powers powers;
  for (const double ridge : {1e-6, 1e-10, 1e-13, 1e-15}) {
    INFO(ridge);
    RidgeRegression by_qr(Powers::kFeatures, {.ridge = ridge, .solver = RidgeSolver::qr}, 2);
    by_qr.add(powers.features, powers.targets);
    by_qr.solve();
    CHECK(by_qr.solved_by() == "qr");
    // The condition number of the rows is some 1 / sqrt(ridge).
    CHECK(distance(by_qr, powers, static_cast<long double>(ridge)) < 3e-16 / std::sqrt(ridge));
  }
  RidgeRegression by_normal(Powers::kFeatures,
                            {.ridge = 1e-15, .solver = RidgeSolver::normal_equations}, 2);
  by_normal.add(powers.features, powers.targets);
  by_normal.solve();
  CHECK(by_normal.solved_by() == "normal_equations");
  CHECK(distance(by_normal, powers, 1e-15L) > 1e-7);
  RidgeRegression far(Powers::kFeatures, {.ridge = 1e-13}, 2);
  const Powers away(1000.0);
  far.add(away.features, away.targets);
  far.solve();
  CHECK(far.solved_by() == "qr");
  CHECK(distance(far, away, 1e-13L) < 1e-7);  // 1000 + x has 1e-13 of x
}

TEST_CASE("a ridge regression by QR is the same however rows are cut, and goes on from its state") {
  const Powers powers;
  const auto weights_of = [&](std::size_t rows, bool with_state) {
    RidgeRegression ridge(Powers::kFeatures, {.ridge = 1e-13}, 2);
    const std::size_t n = static_cast<std::size_t>(Powers::kFeatures);
    for (std::size_t row = 0; row < static_cast<std::size_t>(Powers::kRows); row += rows) {
      const std::size_t count = std::min(rows, static_cast<std::size_t>(Powers::kRows) - row);
      ridge.add(std::span(powers.features).subspan(row * n, count * n),
                std::span(powers.targets).subspan(row * 2, count * 2));
      if (!with_state) continue;
      RidgeRegression other(Powers::kFeatures, {.ridge = 1e-13}, 2);
      other.set_state(ridge.state());
      ridge = other;
    }
    ridge.solve();
    RidgeRegression solved(Powers::kFeatures, {.ridge = 1e-13}, 2);
    solved.set_state(ridge.state());
    CHECK(solved.is_solved());
    return solved.weights();
  };
  const std::vector<double> whole = weights_of(300, false);
  for (const std::size_t rows : {1U, 7U, 64U, 100U}) CHECK(weights_of(rows, rows == 7U) == whole);
  RidgeRegression other(Powers::kFeatures, {.ridge = 1e-13}, 2);
  CHECK_THROWS_AS(other.set_state(std::vector<double>(20)), ShapeError);
}

TEST_CASE("a ridge regression by QR knows silent features, few rows and none") {
  RidgeRegression ridge(3, {.ridge = 0.0});
  ridge.add(std::vector<double>{1, 5, 0, 2, 5, 0}, std::vector<double>{3, 5});
  ridge.solve();
  CHECK(ridge.weights()[0] == Approx(2.0).epsilon(1e-12));
  CHECK(std::abs(ridge.weights()[1]) < 1e-12);
  CHECK(std::abs(ridge.weights()[2]) < 1e-12);
  CHECK(ridge.intercept() == Approx(1.0).epsilon(1e-12));
  RidgeRegression empty(2, {.solver = RidgeSolver::qr});
  empty.solve();
  CHECK(empty.weights() == std::vector<double>{0, 0});
  // The shorter of two solutions is found.
  RidgeRegression twins(2, {.ridge = 0.0});
  twins.add(std::vector<double>{1, 1, 2, 2, 4, 4}, std::vector<double>{2, 4, 8});
  twins.solve();
  CHECK(twins.weights()[0] == Approx(1.0).epsilon(1e-12));
  CHECK(twins.weights()[1] == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("a ridge that limits the error more than noise does is told of") {
  const Powers powers;
  std::vector<double> exact;  // what a linear map of the features is, without noise
  for (std::size_t row = 0; row < static_cast<std::size_t>(Powers::kRows); ++row) {
    const double* const of = &powers.features[row * Powers::kFeatures];
    exact.insert(exact.end(), {of[0] - 3.0 * of[6], of[2] + of[9]});
  }
  RidgeRegression smooth(Powers::kFeatures, {}, 2);
  smooth.add(powers.features, exact);
  smooth.solve();
  REQUIRE(smooth.notices().size() == 1);
  CHECK_THAT(smooth.notices().front(),
             Catch::Matchers::Contains("ridge 1e-06, not noise, limits its error"));
  RidgeRegression again(Powers::kFeatures, {}, 2);
  again.set_state(smooth.state());
  CHECK(again.notices() == smooth.notices());
  const Problem noisy = make_problem(500, 0.1, 0.0);
  RidgeRegression of_noise(3);
  of_noise.add(noisy.features, noisy.targets);
  of_noise.solve();
  CHECK(of_noise.notices().empty());
}

TEST_CASE("Without an intercept a feature that is 1 is regularised like the others") {
  // [1, u, h] of 60 rows, and two targets.
  const std::int64_t rows = 60;
  std::vector<double> features;
  std::vector<double> targets;
  for (std::int64_t t = 0; t < rows; ++t) {
    const auto s = static_cast<double>(t);
    const double u = 3.0 + std::sin(0.3 * s);
    const double h = std::cos(0.7 * s) - 1.0;
    features.insert(features.end(), {u, h, 1.0});
    targets.insert(targets.end(), {2.0 * u - h + 5.0 + 0.1 * std::sin(5.0 * s), h * u});
  }
  for (const RidgeSolver solver : {RidgeSolver::normal_equations, RidgeSolver::qr}) {
    for (const double ridge : {0.0, 1e-3, 0.5}) {
      // (X^T X / n + ridge s) w = X^T y / n by Gauss-Jordan, s the mean square of X.
      double a[3][5] = {};
      double square = 0.0;
      for (std::int64_t t = 0; t < rows; ++t) {
        const double* const x = features.data() + 3 * t;
        for (int i = 0; i < 3; ++i) {
          square += x[i] * x[i] / 3.0 / static_cast<double>(rows);
          for (int k = 0; k < 3; ++k) a[i][k] += x[i] * x[k] / static_cast<double>(rows);
          for (int k = 0; k < 2; ++k) {
            a[i][3 + k] +=
                x[i] * targets[static_cast<std::size_t>(2 * t + k)] / static_cast<double>(rows);
          }
        }
      }
      for (int i = 0; i < 3; ++i) a[i][i] += ridge * square;
      for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
          if (k == i) continue;
          const double factor = a[k][i] / a[i][i];
          for (int j = 0; j < 5; ++j) a[k][j] -= factor * a[i][j];
        }
      }
      RidgeRegression whole(3, {.ridge = ridge, .solver = solver}, 2, false);
      whole.add(features, targets);
      whole.solve();
      RidgeRegression pieces(3, {.ridge = ridge, .solver = solver}, 2, false);
      const auto add = [&](std::size_t begin, std::size_t end) {
        pieces.add(std::span(features).subspan(3 * begin, 3 * (end - begin)),
                   std::span(targets).subspan(2 * begin, 2 * (end - begin)));
      };
      add(0, 7);
      add(7, 8);
      RidgeRegression resumed(3, {.ridge = ridge, .solver = solver}, 2, false);
      resumed.set_state(pieces.state());
      std::swap(pieces, resumed);
      add(8, 60);
      pieces.solve();
      for (const RidgeRegression* const one : {&whole, &pieces}) {
        CHECK(one->solution().intercepts == std::vector<double>{0.0, 0.0});
        for (int k = 0; k < 2; ++k) {
          for (int i = 0; i < 3; ++i) {
            CHECK(one->weights()[static_cast<std::size_t>(3 * k + i)] ==
                  Approx(a[i][3 + k] / a[i][i]).epsilon(1e-9));
          }
          double mean = 0.0;
          for (std::int64_t t = 0; t < rows; ++t) {
            mean += targets[static_cast<std::size_t>(2 * t + k)] / static_cast<double>(rows);
          }
          CHECK(one->target_means()[static_cast<std::size_t>(k)] == Approx(mean));
        }
      }
    }
  }
}
