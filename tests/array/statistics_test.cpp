// SPDX-License-Identifier: MIT
#include "../../src/array/statistics.h"

#include <cmath>
#include <limits>
#include <vector>

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

DEVICE_TEST_CASE("Covariances and correlations are NumPy's") {
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
}

DEVICE_TEST_CASE(
    "A variable that does not vary has no correlation, one observation no covariance") {
  const Array r = corrcoef(array({{1, 2, 3}, {4, 4, 4}}));
  CHECK(r.item({0, 0}) == Approx(1));
  CHECK(std::isnan(r.item({0, 1})));
  CHECK(std::isnan(r.item({1, 1})));
  CHECK(std::isnan(covariance(ones({1})).item()));
  CHECK(std::isnan(covariance(ones({2, 0})).item({0, 1})));
  CHECK_THROWS_WITH(covariance(ones({2, 2, 2})),
                    "[covariance] expected 1 or 2 dimensions, got shape [2, 2, 2]");
  CHECK_THROWS_AS(corrcoef(ones({})), ShapeError);
}

DEVICE_TEST_CASE("normalize makes vectors of length one, and leaves zero alone") {
  const Array x = array({{3, 4}, {0, 0}, {0, -2}}, f8);
  const Array y = normalize(x);
  CHECK(y.item({0, 0}) == 3 / (5 + 1e-8));
  CHECK(y.item({0, 1}) == 4 / (5 + 1e-8));
  CHECK(y.item({1, 0}) == 0);
  CHECK(y.item({2, 1}) == -2 / (2 + 1e-8));
  CHECK(normalize(x, 0, 0.0).item({0, 0}) == 1);
  CHECK(normalize(array({3, 4}), 0, 5.0).item({1}) == Approx(0.4));
  CHECK(normalize(arange(3)).dtype() == f8);
}

DEVICE_TEST_CASE("normalize leaves zero alone with any epsilon") {
  check_equal(normalize(array({0, 0}, f4), -1, 1e-50), f4, {2}, {0, 0});
  check_equal(normalize(array({0, 0}, f8), -1, 0.0), f8, {2}, {0, 0});
  const Array small = normalize(array({3e-30, 4e-30}, f4), -1, 1e-50);
  CHECK(small.item({0}) == Approx(0.6));
}

DEVICE_TEST_CASE("A median stands in the middle") {
  const Array x = array({{3, 1, 2}, {4, 9, 7}}, f8);
  check_equal(median(x), f8, {}, {3.5});
  check_equal(median(x, {1}), f8, {2}, {2, 7});
  check_equal(median(x, {0}), f8, {3}, {3.5, 5, 4.5});
  check_equal(median(x, {0}, true), f8, {1, 3}, {3.5, 5, 4.5});
  check_equal(median(x, {}, true), f8, {1, 1}, {3.5});
  check_equal(median(x, {-1, 0}, true), f8, {1, 1}, {3.5});
  check_equal(median(full({}, 4.0, f8)), f8, {}, {4});
  // [2, 3, 2] over its first and last axis.
  const Array cube = array({{{1, 8}, {2, 7}, {3, 6}}, {{4, 2}, {9, 1}, {5, 5}}}, f8);
  check_equal(median(cube, {0, 2}), f8, {3}, {3, 4.5, 5});
  check_equal(median(cube.transpose(), {-1, 0}), f8, {3}, {3, 4.5, 5});
}

DEVICE_TEST_CASE("Quantiles lie on straight lines between elements, as NumPy's") {
  const Array x = array({40, 10, 30, 20}, f8);
  check_equal(quantile(x, 0), f8, {}, {10});
  check_equal(quantile(x, 1), f8, {}, {40});
  check_equal(quantile(x, 0.25), f8, {}, {17.5});
  check_equal(quantile(x, 0.5), f8, {}, {25});
  check_equal(quantile(x, {0.0, 0.25, 0.75}), f8, {3}, {10, 17.5, 32.5});
  check_equal(quantile(x, std::vector<double>{0.5}), f8, {1}, {25});
  const Array rows = array({{1, 3, 2}, {30, 10, 20}}, f8);
  check_equal(quantile(rows, {0.25, 1.0}, {1}), f8, {2, 2}, {1.5, 15, 3, 30});
  check_equal(quantile(rows, {0.25, 1.0}, {1}, true), f8, {2, 2, 1}, {1.5, 15, 3, 30});
  check_equal(quantile(rows, 0.75, {0}), f8, {3}, {22.75, 8.25, 15.5});
  CHECK(quantile(x, 0.1).item() == Approx(13.0));
  // Equals stay as they are, and the largest numbers do not overflow.
  check_equal(quantile(full({7}, 0.1, f8), 0.35), f8, {}, {0.1});
  check_equal(median(array({-1.7e308, 1.7e308}, f8)), f8, {}, {0});
  CHECK_THROWS_WITH_TEXT(quantile(ones({2}), 1.1), ArgumentError,
                         "[quantile] expected quantiles of [0, 1], got 1.1");
  CHECK_THROWS_AS(quantile(ones({2}), std::nan("")), ArgumentError);
  CHECK_THROWS_AS(quantile(ones({2}), std::vector<double>{}), ArgumentError);
  CHECK_THROWS_WITH(median(ones({2}), {1}), "[median] axis 1 does not exist in 1 dimensions");
}

DEVICE_TEST_CASE("A median of NaN or of nothing is NaN, of infinities what they are") {
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  check_equal(median(array({{1, nan, 2}, {1, 2, 3}}, f8), {1}), f8, {2}, {nan, 2});
  check_equal(quantile(array({nan, 1}, f8), 0), f8, {}, {nan});
  check_equal(median(array({inf, inf}, f8)), f8, {}, {inf});
  check_equal(median(array({1, inf}, f8)), f8, {}, {inf});
  check_equal(median(array({-inf, 1, inf}, f8)), f8, {}, {1});
  check_equal(median(array({-inf, inf}, f8)), f8, {}, {nan});
  check_equal(median(zeros({0})), DType::float32, {}, {nan});
  check_equal(median(zeros({2, 0}), {1}, true), DType::float32, {2, 1}, {nan, nan});
  check_equal(quantile(zeros({0}), {0.1, 0.2}), DType::float32, {2}, {nan, nan});
  CHECK(median(zeros({0, 3}), {1}).shape() == Shape{0});
}

DEVICE_TEST_CASE("Medians are answered in floating dtypes") {
  check_equal(median(array({1, 2}, DType::int64)), f8, {}, {1.5});
  check_equal(median(array({1, 2}, DType::int32)), f8, {}, {1.5});
  check_equal(median(array({0, 1}, DType::boolean)), f8, {}, {0.5});
  check_equal(median(array({1, 2}, DType::bfloat16)), DType::float32, {}, {1.5});
  check_equal(median(array({1, 2}, DType::float32)), DType::float32, {}, {1.5});
}

}  // namespace
}  // namespace gaia::test
