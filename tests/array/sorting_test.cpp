// SPDX-License-Identifier: MIT
/// \file
/// Order, largest elements, searching and distinct values.  In every layout they are tested in
/// tests/backend.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/indexing.h"
#include "../../src/array/ops.h"
#include "../../src/array/sorting.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

constexpr auto descending = SortOrder::descending;

DEVICE_TEST_CASE("sort orders along an axis, NaN being the largest") {
  const Array x = array({{3, kNaN, 1}, {-kInfinity, kInfinity, 0}});
  check_equal(sort(x), f4, {2, 3}, {1, 3, kNaN, -kInfinity, 0, kInfinity});
  check_equal(sort(x, 0), f4, {2, 3}, {-kInfinity, kInfinity, 0, 3, kNaN, 1});
  check_equal(sort(x, -1, descending), f4, {2, 3}, {kNaN, 3, 1, kInfinity, 0, -kInfinity});
  check_equal(x, f4, {2, 3}, {3, kNaN, 1, -kInfinity, kInfinity, 0});  // left alone
  CHECK(sort(zeros({0, 3})).shape() == Shape{0, 3});
  CHECK(sort(zeros({3, 0})).shape() == Shape{3, 0});
  CHECK_THROWS_AS(sort(full({}, 1.0)), ShapeError);
  CHECK_THROWS_WITH(argsort(zeros({2}), 1), "[argsort] axis 1 does not exist in 1 dimensions");
}

DEVICE_TEST_CASE("sort keeps the dtype") {
  for (const DType dtype : {i4, i8, bf, f4, f8}) {
    check_equal(sort(array({3, -1, 2}, dtype)), dtype, {3}, {-1, 2, 3});
    check_equal(argsort(array({3, -1, 2}, dtype)), i8, {3}, {1, 2, 0});
  }
  check_equal(sort(array({1, 0, 1}, b1)), b1, {3}, {0, 1, 1});
  check_equal(argsort(array({1, 0, 1}, b1)), i8, {3}, {1, 0, 2});
}

DEVICE_TEST_CASE("argsort keeps equal elements in order, both ways") {
  const Array x = array({2, 1, 2, 1, kNaN, 2, kNaN});
  check_equal(argsort(x), i8, {7}, {1, 3, 0, 2, 5, 4, 6});
  check_equal(argsort(x, 0, descending), i8, {7}, {4, 6, 0, 2, 5, 1, 3});
  const Array zeros_of_both_signs = array({0.0, -0.0, 0.0, -0.0});
  check_equal(argsort(zeros_of_both_signs), i8, {4}, {0, 1, 2, 3});
  const std::vector<float> sorted = sort(array({0.0, -0.0}), 0, descending).to_vector<float>();
  CHECK_FALSE(std::signbit(sorted[0]));
  CHECK(std::signbit(sorted[1]));
}

TEST_CASE("Long lanes are sorted in parts, with the same result") {
  std::mt19937_64 engine(2);
  std::vector<double> numbers(300001);
  for (double& number : numbers) number = static_cast<double>(engine() % 1000);
  std::vector<std::int64_t> places(numbers.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    return numbers[static_cast<std::size_t>(a)] > numbers[static_cast<std::size_t>(b)];
  });
  std::vector<double> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  const Array x = from_values(numbers, {300001});
  for (const int threads : {1, 2, 5}) {
    const Threads scope(threads);
    CHECK(argsort(x, 0, descending).to_vector<std::int64_t>() == places);
    CHECK(argsort(x.astype(f4), 0, descending).to_vector<std::int64_t>() == places);
    CHECK(sort(x).to_vector<double>() == sorted);
    CHECK(sort(x.astype(f4)).to_vector<double>() == sorted);
  }
}

DEVICE_TEST_CASE("top_k gives the largest with their places") {
  const Array x = array({{3, 1, 3, 2}, {0, 5, kNaN, 5}});
  const TopK top = top_k(x, 2);
  check_equal(top.values, f4, {2, 2}, {3, 3, kNaN, 5});
  check_equal(top.indices, i8, {2, 2}, {0, 2, 2, 1});
  const TopK low = top_k(x, 1, 0, false);
  check_equal(low.values, f4, {1, 4}, {0, 1, 3, 2});
  check_equal(low.indices, i8, {1, 4}, {1, 0, 0, 0});
  CHECK(top_k(x, 0).values.shape() == Shape{2, 0});
  CHECK(top_k(array({1, 2}, bf), 1).values.dtype() == bf);
  CHECK_THROWS_WITH(top_k(zeros({2, 3}), 4),
                    "[top_k] expected k of 0 to 3, the length of axis 1, got 4");
  CHECK_THROWS_AS(top_k(zeros({3}), -1), ArgumentError);
}

DEVICE_TEST_CASE("searchsorted counts what comes before") {
  const Array sorted = array({1, 2, 2, 3});
  const Array values = array({{0, 1, 2}, {3, 4, kNaN}});
  check_equal(searchsorted(sorted, values), i8, {2, 3}, {0, 0, 1, 3, 4, 4});
  check_equal(searchsorted(sorted, values, Side::right), i8, {2, 3}, {0, 1, 3, 4, 4, 4});
  check_equal(searchsorted(array({1, kNaN, kNaN}), array({kNaN}), Side::left), i8, {1}, {1});
  check_equal(searchsorted(array({1, kNaN, kNaN}), array({kNaN}), Side::right), i8, {1}, {3});
  check_equal(searchsorted(sorted.slice(0, {}, {}, 2), array({2}, i8)), i8, {1}, {1});
  check_equal(searchsorted(array({1, 2}, i8), array({1.5}, f8)), i8, {1}, {1});
  check_equal(searchsorted(Array(), array({1})), i8, {1}, {0});
  check_equal(searchsorted(sorted, full({}, 2.5)), i8, {}, {3});
  CHECK(searchsorted(sorted, zeros({0})).shape() == Shape{0});
  CHECK_THROWS_AS(searchsorted(zeros({2, 2}), zeros({1})), ShapeError);
}

TEST_CASE("searchsorted finds the same for numbers in ascending and in any order") {
  std::mt19937_64 engine(12);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
  };
  const auto comes_before = [](double a, double b) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  };
  const auto numbers = [&](std::int64_t count, bool in_order) {
    std::vector<double> drawn;
    for (std::int64_t i = 0; i < count; ++i) {
      drawn.push_back(draw(0, 12) == 0 ? kNaN : 0.5 * static_cast<double>(draw(0, 20)));
    }
    if (in_order) std::sort(drawn.begin(), drawn.end(), comes_before);
    return drawn;
  };
  for (int round = 0; round < 300; ++round) {
    const std::vector<double> sorted = numbers(draw(0, 20), true);
    const std::vector<double> wanted = numbers(draw(0, 40), round % 2 == 0);
    const auto found = [&](Side side) {
      const auto length = [](const auto& x) { return Shape{static_cast<std::int64_t>(x.size())}; };
      return searchsorted(from_values(sorted, length(sorted)), from_values(wanted, length(wanted)),
                          side)
          .to_vector<std::int64_t>();
    };
    std::vector<std::int64_t> left;
    std::vector<std::int64_t> right;
    for (const double number : wanted) {
      left.push_back(std::count_if(sorted.begin(), sorted.end(),
                                   [&](double there) { return comes_before(there, number); }));
      right.push_back(std::count_if(sorted.begin(), sorted.end(),
                                    [&](double there) { return !comes_before(number, there); }));
    }
    REQUIRE(found(Side::left) == left);
    REQUIRE(found(Side::right) == right);
  }
}

DEVICE_TEST_CASE("unique gives each value once, in order") {
  check_equal(unique(array({{3, 1}, {1, 2}}, i8)), i8, {3}, {1, 2, 3});
  check_equal(unique(array({kNaN, 1, kNaN, 1, kInfinity})), f4, {3}, {1, kInfinity, kNaN});
  check_equal(unique(array({1, 0, 1}, b1)), b1, {2}, {0, 1});
  check_equal(unique(array({2, 2}, bf)), bf, {1}, {2});
  check_equal(unique(full({}, 4.0)), f4, {1}, {4});
  check_equal(unique(Array()), f4, {0}, {});
}

}  // namespace
}  // namespace gaia::test
