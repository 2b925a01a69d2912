// SPDX-License-Identifier: MIT
#include "../../src/learning/pca.h"

#include <cmath>

#include "../../src/core/error.h"
#include "../../src/learning/whitening.h"
#include "../reference/scikit_learn/pca.h"
#include "../support/catch.h"

using namespace gaia;
namespace scikit = gaia::test::scikit_pca;

namespace {

Covariance covariance_of(std::span<const double> rows, std::int64_t features) {
  Covariance covariance(features);
  const std::size_t half =
      rows.size() / static_cast<std::size_t>(2 * features) * static_cast<std::size_t>(features);
  covariance.add(rows.first(half));
  covariance.add(rows.subspan(half));
  return covariance;
}

}  // namespace

TEST_CASE("principal components equal scikit-learn's up to sign") {
  const Covariance covariance = covariance_of(scikit::rows, 6);
  for (const std::int64_t count : {1, 4, 6}) {
    const PrincipalComponents pca = principal_components(covariance, count);
    REQUIRE(pca.count() == count);
    REQUIRE(pca.features() == 6);
    const std::vector<double> codes = pca.transform(std::span(scikit::rows).first(5 * 6));
    REQUIRE(codes.size() == static_cast<std::size_t>(5 * count));
    double total = 0.0;
    for (const double variance : scikit::variances) total += variance;
    CHECK(pca.total_variance == Approx(total).epsilon(1e-12));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      CHECK(pca.variances[i] == Approx(scikit::variances[i]).epsilon(1e-10));
      double product = 0.0;
      for (std::size_t j = 0; j < 6; ++j) {
        product += pca.components[6 * i + j] * scikit::components[6 * i + j];
      }
      const double sign = product < 0.0 ? -1.0 : 1.0;
      double largest = 0.0;
      for (std::size_t j = 0; j < 6; ++j) {
        const double entry = pca.components[6 * i + j];
        CHECK(std::abs(entry - sign * scikit::components[6 * i + j]) < 1e-9);
        if (std::abs(entry) > std::abs(largest)) largest = entry;
      }
      CHECK(largest > 0.0);
      for (std::size_t row = 0; row < 5; ++row) {
        CHECK(codes[row * static_cast<std::size_t>(count) + i] ==
              Approx(sign * scikit::codes[6 * row + i]).epsilon(1e-8).margin(1e-8));
      }
    }
  }
}

TEST_CASE("among equally large entries of a component the first is positive") {
  // Along (1, -1) and (-1, 1): either sign has an entry of the largest size below 0.
  const std::vector<double> rows = {1, -1, -1, 1, 3, -3, -3, 3};
  const PrincipalComponents pca = principal_components(covariance_of(rows, 2), 2);
  CHECK(pca.components[0] == Approx(std::sqrt(0.5)));
  CHECK(pca.components[1] == Approx(-std::sqrt(0.5)));
  CHECK(pca.variances[0] == Approx(40.0 / 3).epsilon(1e-14));
  CHECK(pca.variances[1] == Approx(0.0).margin(1e-14));
  CHECK(pca.components[2] == Approx(std::sqrt(0.5)));
  CHECK(pca.components[3] == Approx(std::sqrt(0.5)));
}

TEST_CASE("principal components of data at the ends of a double, and of none that vary") {
  for (const double scale : {1e-120, 1e120}) {
    std::vector<double> rows = scikit::rows;
    for (double& value : rows) value *= scale;
    const PrincipalComponents pca = principal_components(covariance_of(rows, 6), 2);
    CHECK(pca.variances[0] / scale / scale == Approx(scikit::variances[0]).epsilon(1e-8));
    CHECK(std::abs(pca.components[0]) == Approx(std::abs(scikit::components[0])).epsilon(1e-8));
  }
  Covariance constant(3);
  constant.add(std::vector<double>(30, 0.1));
  const PrincipalComponents pca = principal_components(constant, 3);
  CHECK(pca.variances == std::vector<double>(3));
  CHECK(pca.transform(std::vector<double>(3, 0.1)) == std::vector<double>(3));
}

TEST_CASE("zca is the inverse root of the covariance") {
  const Covariance covariance = covariance_of(scikit::rows, 6);
  const Whitening zca = zca_whitening(covariance, scikit::epsilon);
  REQUIRE(zca.outputs() == 6);
  for (std::size_t i = 0; i < 36; ++i) {
    CHECK(zca.matrix[i] == Approx(scikit::zca_matrix[i]).epsilon(1e-8).margin(1e-10));
    CHECK(zca.matrix[i] == zca.matrix[i % 6 * 6 + i / 6]);
  }
  // Without epsilon what comes out has variance 1 and no correlations.
  const std::vector<double> white = zca_whitening(covariance, 0.0).transform(scikit::rows);
  const std::vector<double> after = covariance_of(white, 6).matrix();
  for (std::size_t i = 0; i < 36; ++i) {
    CHECK(after[i] == Approx(i % 7 == 0 ? 1.0 : 0.0).margin(1e-7));
  }
}

TEST_CASE("whitening stays finite where nothing varies") {
  // The second feature copies the first, the third is constant.
  std::vector<double> rows;
  for (int i = 0; i < 20; ++i) rows.insert(rows.end(), {i % 3 * 1.0, i % 3 * 1.0, 5.0});
  const Covariance covariance = covariance_of(rows, 3);
  for (const double epsilon : {0.0, 1e-2}) {
    for (const double value : zca_whitening(covariance, epsilon).transform(rows)) {
      CHECK(std::isfinite(value));
      CHECK(std::abs(value) < 3.0);
    }
  }
  Covariance constant(2);
  constant.add(std::vector<double>(10, 0.1));
  CHECK(zca_whitening(constant, 0.0).transform(std::vector<double>{0.1, 0.1}) ==
        std::vector<double>(2));
}

TEST_CASE("what principal components and whitening do not take") {
  Covariance covariance(2);
  CHECK_THROWS_WITH_TEXT(principal_components(covariance, 1), ArgumentError, "no rows");
  covariance.add(std::vector<double>{1, 2, 3, 5});
  CHECK_THROWS_WITH_TEXT(
      principal_components(covariance, 3), ArgumentError,
      "expected 1 to 2 components, as many as there are features at most, got 3");
  CHECK_THROWS_AS(principal_components(covariance, 0), ArgumentError);
  CHECK_THROWS_WITH_TEXT(zca_whitening(covariance, -1.0), ArgumentError,
                         "expected an epsilon of 0 or more, got -1.0");
  CHECK_THROWS_AS(zca_whitening(covariance, std::nan("")), ArgumentError);
  CHECK_THROWS_WITH_TEXT(zca_whitening(covariance, 0.1).transform(std::vector<double>(3)),
                         ShapeError, "[Whitening] expected rows of 2 features, got 3 numbers");
  CHECK_THROWS_WITH_TEXT(principal_components(covariance, 1).transform(std::vector<double>(1)),
                         ShapeError, "[PrincipalComponents] expected rows of 2 features");
}
