// SPDX-License-Identifier: MIT
/// \file
/// Distances: numbers by hand, a plain loop for every order and number of coordinates, points that
/// lie close together, and refusals.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "../../src/array/create.h"
#include "../../src/array/distances.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/operands.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

/// The distances of rows of a [P, M] and b [R, M].
Values plain_distances(const Values& a, const Values& b, double p) {
  Values result(Shape{a.shape[0], b.shape[0]});
  for_each_index(result.shape, [&](const Dims& at) {
    double total = 0.0;
    for (std::int64_t k = 0; k < a.shape[1]; ++k) {
      const double apart = std::abs(a[{at[0], k}] - b[{at[1], k}]);
      if (p == 0.0) {
        total += apart != 0.0 ? 1.0 : 0.0;
      } else if (p == kInfinity) {
        total = std::max(total, apart);
      } else {
        total += std::pow(apart, p);
      }
    }
    result[at] = p == 0.0 || p == kInfinity ? total : std::pow(total, 1.0 / p);
  });
  return result;
}

DEVICE_TEST_CASE("cdist of points that one can check by hand") {
  const Array a = array({{0, 0}, {3, 4}});
  const Array b = array({{0, 0}, {3, 0}, {-3, 4}});
  check_equal(cdist(a, b), f4, {2, 3}, {0, 3, 5, 5, 4, 6});
  check_equal(cdist(a, b, 1.0), f4, {2, 3}, {0, 3, 7, 7, 4, 6});
  check_equal(cdist(a, b, 0.0), f4, {2, 3}, {0, 1, 2, 2, 1, 1});
  check_equal(cdist(a, b, kInfinity), f4, {2, 3}, {0, 3, 4, 4, 4, 6});
  // Enough coordinates for a matrix product, and points that are one among them.
  const Array wide = zeros({2, 8}, f8);
  wide.slice(1, 0, 2).assign(a);
  const Array others = zeros({3, 8}, f8);
  others.slice(1, 0, 2).assign(b);
  check_equal(cdist(wide, others), f8, {2, 3}, {0, 3, 5, 5, 4, 6});
  CHECK(cdist(a.astype(i4), b.astype(i4)).dtype() == f8);
  CHECK(cdist(a.astype(bf), b.astype(bf)).dtype() == f4);
  CHECK(cdist(zeros({0, 3}), zeros({2, 3})).shape() == Shape{0, 2});
  check_equal(cdist(zeros({2, 0}), zeros({1, 0})), f4, {2, 1}, {0, 0});
  CHECK(cdist(ones({4, 1, 2, 3}), ones({5, 6, 3})).shape() == Shape{4, 5, 2, 6});
}

TEST_CASE("cdist agrees with its definition for every order and number of coordinates") {
  std::mt19937_64 engine(3);
  for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, kInfinity}) {
    for (const std::int64_t m : {1, 4, 5, 16, 17, 40}) {
      for (const Layout layout : all_layouts()) {
        const Operand a = random_operand(engine, {7, m}, f8, layout);
        const Operand b = random_operand(engine, {5, m}, f8, layout);
        INFO("p = " << p << ", " << m << " coordinates, " << to_string(layout));
        check_near(cdist(a.array, b.array, p), plain_distances(a.values, b.values, p), 1e5, 1.0);
      }
    }
  }
}

TEST_CASE("Distances of points that lie close together keep their digits") {
  std::mt19937_64 engine(8);
  for (const double far : {0.0, 1e6}) {
    Operand a = random_operand(engine, {40, 9}, f8);
    for (double& number : a.values.numbers) number += far;
    Values b = a.values;
    for (std::size_t i = 0; i < b.numbers.size(); ++i) {
      b.numbers[i] += 0x1p-20 * static_cast<double>(i % 3);
    }
    const Array x = from_values(a.values.numbers, {40, 9});
    check_near(cdist(x, from_values(b.numbers, {40, 9})), plain_distances(a.values, b, 2.0), 1e5);
    check_near(cdist(x, x).diagonal(), Values(Shape{40}), 0.0);
  }
}

TEST_CASE("Distances to what is not finite are those of the differences") {
  const Array a = zeros({3, 8}, f8);
  a[1].fill(kInfinity);
  a[2].fill(1e200);
  const Array d = cdist(a, a);
  CHECK(d.item({0, 0}) == 0.0);
  CHECK(d.item({0, 1}) == kInfinity);
  CHECK(std::isnan(d.item({1, 1})));
  CHECK(d.item({2, 2}) == 0.0);
  CHECK(d.item({1, 2}) == kInfinity);
}

TEST_CASE("Distances do not depend on the number of threads") {
  std::mt19937_64 engine(2);
  const Operand a = random_operand(engine, {300, 20}, f8);
  const auto with = [&](int threads) {
    const Threads scope(threads);
    std::vector<double> all = cdist(a.array, a.array).to_vector<double>();
    const std::vector<double> others = cdist(a.array, a.array, 1.0).to_vector<double>();
    all.insert(all.end(), others.begin(), others.end());
    return all;
  };
  CHECK(with(1) == with(3));
}

TEST_CASE("cdist tells what does not fit") {
  CHECK_THROWS_WITH_TEXT(cdist(ones({2, 3}), ones({2, 2})), ShapeError,
                         "[cdist] expected points in rows");
  CHECK_THROWS_WITH_TEXT(cdist(ones({3}), ones({2, 3})), ShapeError, "[cdist]");
  CHECK_THROWS_WITH_TEXT(cdist(ones({2, 3}), ones({2, 3}), -1.0), ArgumentError, "at least 0");
  CHECK_THROWS_WITH_TEXT(cdist(ones({2, 3}), ones({2, 3}), std::nan("")), ArgumentError, "p of");
  CHECK_THROWS_AS(cdist(ones({2, 1, 3}), ones({3, 1, 3})), ShapeError);
}

}  // namespace
}  // namespace gaia::test
