// SPDX-License-Identifier: MIT
#include "../../src/learning/covariance.h"

#include <cmath>
#include <limits>

#include "../../src/core/error.h"
#include "../../src/core/parallel.h"
#include "../../src/core/random.h"
#include "../reference/scikit_learn/pca.h"
#include "../support/catch.h"

using namespace gaia;
namespace scikit = gaia::test::scikit_pca;

namespace {

std::vector<double> normal_rows(std::int64_t rows, std::int64_t features) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * features));
  const RandomStream stream{3, 1};
  stream.normals(0, numbers);
  return numbers;
}

}  // namespace

TEST_CASE("a covariance equals NumPy's, however the rows are cut") {
  for (const std::size_t rows : {1u, 7u, 39u, 40u}) {
    Covariance covariance(6);
    for (std::size_t first = 0; first < 40; first += rows) {
      covariance.add(std::span(scikit::rows).subspan(6 * first, 6 * std::min(rows, 40 - first)));
    }
    CHECK(covariance.count() == 40);
    const std::vector<double> matrix = covariance.matrix();
    const std::vector<double> mean = covariance.mean();
    for (std::size_t i = 0; i < 36; ++i) {
      CHECK(matrix[i] == Approx(scikit::covariance[i]).epsilon(1e-11).margin(1e-11));
    }
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(mean[i] == Approx(scikit::mean[i]).epsilon(1e-13));
      CHECK(covariance.variances()[i] == matrix[7 * i]);
    }
  }
}

TEST_CASE("every part of a wide covariance is right, on one thread and on several") {
  // More features than one task adds to, and a number that no block divides.
  constexpr std::int64_t kFeatures = 150;
  constexpr std::int64_t kRows = 70;
  const std::vector<double> rows = normal_rows(kRows, kFeatures);
  Covariance covariance(kFeatures);
  covariance.add(std::span(rows).first(30 * kFeatures));
  covariance.add(std::span(rows).subspan(30 * kFeatures));
  const std::vector<double> matrix = covariance.matrix();
  for (std::int64_t i = 0; i < kFeatures; i += 7) {
    for (std::int64_t j = 0; j < kFeatures; ++j) {
      double mean_i = 0.0;
      double mean_j = 0.0;
      double product = 0.0;
      for (std::int64_t row = 0; row < kRows; ++row) {
        const double a = rows[static_cast<std::size_t>(row * kFeatures + i)];
        const double b = rows[static_cast<std::size_t>(row * kFeatures + j)];
        mean_i += a / kRows;
        mean_j += b / kRows;
        product += a * b;
      }
      const double expected = (product - kRows * mean_i * mean_j) / (kRows - 1);
      CHECK(matrix[static_cast<std::size_t>(i * kFeatures + j)] ==
            Approx(expected).epsilon(1e-10).margin(1e-12));
      CHECK(matrix[static_cast<std::size_t>(i * kFeatures + j)] ==
            matrix[static_cast<std::size_t>(j * kFeatures + i)]);
    }
  }
  set_num_threads(1);
  Covariance alone(kFeatures);
  alone.add(std::span(rows).first(30 * kFeatures));
  alone.add(std::span(rows).subspan(30 * kFeatures));
  set_num_threads(0);
  CHECK(alone.state() == covariance.state());
}

TEST_CASE("a large mean costs a covariance no digits, and a constant has none") {
  std::vector<double> rows;
  for (int i = 0; i < 1000; ++i) {
    rows.insert(rows.end(), {1e9 + (i % 2), 0.1, 1e-3 * (i % 2)});
  }
  Covariance covariance(3);
  for (std::size_t first = 0; first < rows.size(); first += 30) {
    covariance.add(std::span(rows).subspan(first, std::min<std::size_t>(30, rows.size() - first)));
  }
  // The variance of 500 zeros and 500 ones is 250 / 999.
  CHECK(covariance.variances()[0] == Approx(250.0 / 999).epsilon(1e-12));
  CHECK(covariance.variances()[1] == 0.0);
  CHECK(covariance.mean()[1] == 0.1);
  CHECK(covariance.mean()[0] == 1e9 + 0.5);
  CHECK(covariance.matrix()[2] == Approx(0.25 / 999).epsilon(1e-12));
  CHECK(covariance.mean_variance() == Approx((250.0 / 999) * (1 + 1e-6) / 3).epsilon(1e-12));
}

TEST_CASE("a covariance goes on from its state bit for bit") {
  const std::vector<double> rows = normal_rows(50, 5);
  Covariance whole(5);
  whole.add(std::span(rows).first(100));
  Covariance other(5);
  other.add(std::span(rows).subspan(50, 25));
  other.set_state(whole.state());
  whole.add(std::span(rows).subspan(100));
  other.add(std::span(rows).subspan(100));
  CHECK(other.state() == whole.state());
  CHECK(other.matrix() == whole.matrix());
  CHECK(other.count() == 50);
}

TEST_CASE("a covariance of few rows, and what it does not take") {
  Covariance covariance(2);
  CHECK(covariance.matrix() == std::vector<double>(4));
  covariance.add(std::vector<double>{});
  covariance.add(std::vector<double>{3.0, 4.0});
  CHECK(covariance.mean() == std::vector<double>{3.0, 4.0});
  CHECK(covariance.matrix() == std::vector<double>(4));
  CHECK_THROWS_WITH_TEXT(covariance.add(std::vector<double>(3)), ShapeError,
                         "expected rows of 2 features, got 3 numbers");
  CHECK_THROWS_WITH_TEXT(covariance.set_state(std::vector<double>(3)), ShapeError,
                         "expected a state of 8 numbers, got 3");
  for (const double count : {-1.0, 0.5, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<double> state(8);
    state[0] = count;
    CHECK_THROWS_WITH_TEXT(covariance.set_state(state), ArgumentError, "a count of rows");
  }
  CHECK_THROWS_WITH_TEXT(Covariance(0), ArgumentError, "expected 1 to 32768 features, got 0");
  CHECK_THROWS_AS(Covariance(100000), ArgumentError);
  const std::vector<double> before = covariance.state();
  CHECK_THROWS_WITH_TEXT(covariance.add(std::vector<double>{1.0, 2.0, 1.0, std::nan("")}),
                         ArgumentError, "feature 1 of row 1 is .nan; leave such rows out");
  CHECK(covariance.state() == before);
  covariance.add(std::vector<double>{1e200, 0.0, -1e200, 0.0});
  CHECK_THROWS_WITH_TEXT(covariance.matrix(), ArgumentError, "not finite");
}
