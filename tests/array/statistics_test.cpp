// SPDX-License-Identifier: MIT
#include "../../src/array/statistics.h"

#include <cmath>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

void check_matrix(const Array& got, const std::vector<double>& numbers, double units) {
  Values expected({2, 2});
  expected.numbers = numbers;
  check_near(got, expected, units, 1);
}

TEST_CASE("Covariances and correlations are NumPy's") {
  on_each_device([] {
    const Array x = array({{1, 2, 4, 7}, {2, 1, 5, 3}}, f8);
    const std::vector<double> numbers = {7, 13.0 / 6, 13.0 / 6, 35.0 / 12};
    check_matrix(covariance(x), numbers, 8);
    check_matrix(covariance(x.transpose(), {.rowvar = false}), numbers, 8);
    check_matrix(covariance(x, {.ddof = 0}), {5.25, 1.625, 1.625, 2.1875}, 8);
    const double r = 13.0 / 6 / std::sqrt(7 * 35.0 / 12);
    check_matrix(corrcoef(x), {1, r, r, 1}, 8);
    check_matrix(corrcoef(x.transpose(), false), {1, r, r, 1}, 8);
    CHECK(covariance(x.astype(DType::float32)).dtype() == DType::float32);
    CHECK(covariance(arange(4)).dtype() == f8);
    CHECK(covariance(arange(4)).item() == Approx(5.0 / 3));
    CHECK(covariance(arange(4)).rank() == 0);
    CHECK(corrcoef(arange(4)).item() == Approx(1));
    CHECK(corrcoef(x.slice(0, 0, 1)).rank() == 0);
    // float32 far from zero: computed in float64.
    const Array far = array({{1e6, 1e6 + 1, 1e6 + 2}, {1, 2, 3}});
    check_matrix(corrcoef(far), {1, 1, 1, 1}, 2);
  });
}

TEST_CASE("A variable that does not vary has no correlation, one observation no covariance") {
  on_each_device([] {
    const Array r = corrcoef(array({{1, 2, 3}, {4, 4, 4}}));
    CHECK(r.item({0, 0}) == Approx(1));
    CHECK(std::isnan(r.item({0, 1})));
    CHECK(std::isnan(r.item({1, 1})));
    CHECK(std::isnan(covariance(ones({1})).item()));
    CHECK(std::isnan(covariance(ones({2, 0})).item({0, 1})));
  });
  CHECK_THROWS_WITH(covariance(ones({2, 2, 2})),
                    "[covariance] expected 1 or 2 dimensions, got shape [2, 2, 2]");
  CHECK_THROWS_AS(corrcoef(ones({})), ShapeError);
}

TEST_CASE("normalize makes vectors of length one, and leaves zero alone") {
  on_each_device([] {
    const Array x = array({{3, 4}, {0, 0}, {0, -2}}, f8);
    const Array y = normalize(x);
    CHECK(y.item({0, 0}) == 3 / (5 + 1e-8));
    CHECK(y.item({0, 1}) == 4 / (5 + 1e-8));
    CHECK(y.item({1, 0}) == 0);
    CHECK(y.item({2, 1}) == -2 / (2 + 1e-8));
    CHECK(normalize(x, 0, 0.0).item({0, 0}) == 1);
    CHECK(normalize(array({3, 4}), 0, 5.0).item({1}) == Approx(0.4));
    CHECK(normalize(arange(3)).dtype() == f8);
  });
}

}  // namespace
}  // namespace gaia::test
