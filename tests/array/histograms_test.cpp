// SPDX-License-Identifier: MIT
#include "../../src/array/histograms.h"

#include <limits>

#include "../../src/array/create.h"
#include "../../src/array/linear.h"
#include "../../src/array/ops.h"
#include "../../src/array/sorting.h"
#include "../../src/array/statistics.h"
#include "../../src/array/streaming_covariance.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("Histograms count what lies in each bin, the last with its right edge") {
  const Array x = array({0, 1, 1, 2, 3.5, 4}, f8);
  const Histogram h = histogram(x, 4);
  check_equal(h.edges, f8, {5}, {0, 1, 2, 3, 4});
  check_equal(h.counts, i8, {4}, {1, 2, 1, 2});
  check_equal(histogram(x, 2, {.range = HistogramRange{0, 2}}).counts, i8, {2}, {1, 3});
  check_equal(histogram(x, array({0, 2, 4}, f8), {.density = true}).counts, f8, {2}, {0.25, 0.25});
  const Array weights = array({1, 2, 4, 8, 16, 32}, f8);
  check_equal(histogram(x, 4, {.weights = weights}).counts, f8, {4}, {1, 6, 8, 48});
  check_equal(histogram(zeros({0}), 2).edges, DType::float32, {3}, {0, 0.5, 1});
  check_equal(histogram(ones({3}), 1).edges, DType::float32, {2}, {0.5, 1.5});
  CHECK_THROWS_WITH(histogram(ones({2}), 0), "[histogram] expected at least 1 bin, got 0");
  CHECK_THROWS_AS(histogram(ones({2}), "most"), ArgumentError);
  CHECK_THROWS_AS(histogram(ones({2}), array({1, 0})), ArgumentError);
  CHECK_THROWS_AS(histogram_bin_edges(array({std::numeric_limits<double>::infinity()}), 2),
                  ArgumentError);
}

DEVICE_TEST_CASE("Whole numbers are counted, and numbers find their bins") {
  const Array x = array({3, 0, 3, 1}, DType::int32);
  check_equal(bincount(x), i8, {4}, {1, 1, 0, 2});
  check_equal(bincount(x, 6), i8, {6}, {1, 1, 0, 2, 0, 0});
  check_equal(bincount(x, array({0.5, 1, 2, 4})), f8, {4}, {1, 4, 0, 2.5});
  const Array numbers = array({-1, 0, 0.5, 1, 9}, f8);
  check_equal(digitize(numbers, array({0, 1}, f8)), i8, {5}, {0, 1, 1, 2, 2});
  check_equal(digitize(numbers, array({0, 1}, f8), true), i8, {5}, {0, 0, 1, 1, 2});
  check_equal(digitize(numbers, array({1, 0}, f8)), i8, {5}, {2, 1, 1, 0, 0});
  CHECK_THROWS_AS(bincount(array({-1}, DType::int32)), ArgumentError);
  CHECK_THROWS_AS(bincount(ones({2})), DTypeError);
  CHECK_THROWS_AS(digitize(ones({2}), array({0, 2, 1})), ArgumentError);
}

DEVICE_TEST_CASE("Distinct elements are told with where they are") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Distinct d = distinct(array({{2, nan, 1}, {2, nan, 5}}, f8));
  check_equal(d.values, f8, {4}, {1, 2, 5, nan});
  check_equal(d.indices, i8, {4}, {2, 0, 5, 1});
  check_equal(d.inverse, i8, {2, 3}, {1, 3, 0, 1, 3, 2});
  check_equal(d.counts, i8, {4}, {1, 2, 1, 2});
  CHECK(distinct(zeros({0, 2})).inverse.shape() == Shape{0, 2});
}

DEVICE_TEST_CASE("Weights of observations are repeats or trust") {
  const Array x = array({{1, 2, 4}, {2, 1, 5}}, f8);
  const Array repeated = array({{1, 2, 2, 4}, {2, 1, 1, 5}}, f8);
  const Array times = array({1, 2, 1}, DType::int64);
  Values expected({2, 2});
  expected.numbers = covariance(repeated).to_vector<double>();
  check_near(covariance(x, {}, {.frequencies = times}), expected, 16, 1);
  CHECK(average(x, {1}, array({1, 2, 1})).item({0}) == Approx(2.25));
  StreamingCovariance seen(2);
  StreamingCovariance rest(2);
  seen.add(repeated.transpose().slice(0, 0, 1));
  rest.add(repeated.transpose().slice(0, 1));
  seen.merge(rest);
  check_near(seen.covariance(), expected, 16, 1);
  CHECK(seen.count() == 4);
  CHECK_THROWS_AS(average(ones({2}), {}, zeros({2})), ArgumentError);
  CHECK_THROWS_AS(covariance(ones({2, 3}), {}, {.frequencies = ones({2})}), ShapeError);
}

TEST_CASE("Methods of arrays are the functions of their names") {
  const Array x = array({{4, 2}, {1, 3}}, f8);
  check_equal(x.sum(), f8, {}, {10});
  check_equal(x.mean({0}), f8, {2}, {2.5, 2.5});
  check_equal(x.max({1}, true), f8, {2, 1}, {4, 3});
  check_equal(x.std(), f8, {}, {gaia::std(x).item()});
  check_equal(x.argmin(), i8, {}, {2});
  check_equal(x.cumsum(1), f8, {2, 2}, {4, 6, 1, 4});
  check_equal(x.clip(2, 3), f8, {2, 2}, {3, 2, 2, 3});
  check_equal(x.transpose().flatten(), f8, {4}, {4, 1, 2, 3});
  check_equal(x.dot(x), f8, {2, 2}, {18, 14, 7, 11});
  check_equal(x.trace(), f8, {}, {7});
}

}  // namespace
}  // namespace gaia::test
