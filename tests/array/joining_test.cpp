// SPDX-License-Identifier: MIT
/// \file
/// Joining, splitting, turning and repeating.
#include <limits>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

DEVICE_TEST_CASE("concatenate joins along an axis and promotes") {
  const Array a = array({{1, 2}, {3, 4}});
  const Array b = array({{5, 6}}, i4);
  check_equal(concatenate({a, b}), f8, {3, 2}, {1, 2, 3, 4, 5, 6});
  check_equal(concatenate({a, a.transpose()}, 1), f4, {2, 4}, {1, 2, 1, 3, 3, 4, 2, 4});
  check_equal(concatenate({a, a.slice(1, 0, 0), a}, -1), f4, {2, 4}, {1, 2, 1, 2, 3, 4, 3, 4});
  check_equal(concatenate({array({1}, bf), array({2}, bf)}), bf, {2}, {1, 2});
  check_equal(concatenate({array({1}, b1), array({2}, i8)}), i8, {2}, {1, 2});
  check_equal(concatenate({Array(), array({1})}), f4, {1}, {1});
  const Array one = concatenate({a});
  one.fill(0.0);
  CHECK(a.item({0, 0}) == 1.0);
  CHECK(concatenate({zeros({0, 3}), zeros({0, 3})}).shape() == Shape{0, 3});
  CHECK(concatenate({a[0].broadcast_to({3, 2}), b}).shape() == Shape{4, 2});
}

TEST_CASE("concatenate refuses what does not fit") {
  CHECK_THROWS_WITH(concatenate({}), "[concatenate] needs at least one array");
  CHECK_THROWS_WITH(concatenate({zeros({2, 3}), zeros({2, 4})}),
                    "[concatenate] shapes [2, 3] and [2, 4] differ beside axis 0");
  CHECK_THROWS_AS(concatenate({zeros({2, 3}), zeros({3})}), ShapeError);
  CHECK_THROWS_WITH(concatenate({zeros({2})}, 1),
                    "[concatenate] axis 1 does not exist in 1 dimensions");
  CHECK_THROWS_AS(concatenate({full({}, 1.0), full({}, 2.0)}), ShapeError);
}

DEVICE_TEST_CASE("stack joins along a new axis") {
  const Array a = array({1, 2});
  const Array b = array({3, 4}, i8);
  check_equal(stack({a, b}), f8, {2, 2}, {1, 2, 3, 4});
  check_equal(stack({a, b}, 1), f8, {2, 2}, {1, 3, 2, 4});
  check_equal(stack({a, b}, -1), f8, {2, 2}, {1, 3, 2, 4});
  check_equal(stack({full({}, 1.0), full({}, 2.0)}), f4, {2}, {1, 2});
  CHECK(stack({zeros({0, 2}), zeros({0, 2})}, 1).shape() == Shape{0, 2, 2});
  CHECK_THROWS_WITH(stack({}), "[stack] needs at least one array");
  CHECK_THROWS_WITH(stack({zeros({2}), zeros({3})}),
                    "[stack] expected arrays of one shape, got [2] and [3]; concatenate joins "
                    "along an axis that exists");
  CHECK_THROWS_AS(stack({zeros({2})}, 2), ShapeError);
}

DEVICE_TEST_CASE("split gives views of equal length") {
  const Array x = array({{1, 2, 3, 4}, {5, 6, 7, 8}});
  const std::vector<Array> halves = split(x, 2, 1);
  REQUIRE(halves.size() == 2);
  check_equal(halves[1], f4, {2, 2}, {3, 4, 7, 8});
  halves[0].fill(0.0);
  check_equal(x, f4, {2, 4}, {0, 0, 3, 4, 0, 0, 7, 8});
  CHECK(split(zeros({0, 2}), 3).size() == 3);
  CHECK_THROWS_WITH(split(zeros({5}), 2),
                    "[split] axis 0 of length 5 cannot be split into 2 equal sections; split_at "
                    "takes positions");
  CHECK_THROWS_AS(split(zeros({4}), 0), ArgumentError);
}

DEVICE_TEST_CASE("split_at cuts before positions, read as slices read them") {
  const Array x = array({1, 2, 3, 4, 5});
  const std::vector<Array> parts = split_at(x, {2, 3, -1, 9});
  REQUIRE(parts.size() == 5);
  check_equal(parts[0], f4, {2}, {1, 2});
  check_equal(parts[1], f4, {1}, {3});
  check_equal(parts[2], f4, {1}, {4});
  check_equal(parts[3], f4, {1}, {5});
  check_equal(parts[4], f4, {0}, {});
  CHECK(split_at(x, {}).size() == 1);
}

DEVICE_TEST_CASE("flip is a view that runs backwards") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}});
  check_equal(flip(x), f4, {2, 3}, {6, 5, 4, 3, 2, 1});
  check_equal(flip(x, {0}), f4, {2, 3}, {4, 5, 6, 1, 2, 3});
  check_equal(flip(x, {-1}), f4, {2, 3}, {3, 2, 1, 6, 5, 4});
  CHECK(flip(zeros({0, 2})).shape() == Shape{0, 2});
  CHECK(flip(full({}, 1.0)).item() == 1.0);
  CHECK_THROWS_AS(flip(zeros({2}), {1}), ShapeError);
}

DEVICE_TEST_CASE("roll moves elements around") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}});
  check_equal(roll(x, 1, 1), f4, {2, 3}, {3, 1, 2, 6, 4, 5});
  check_equal(roll(x, -4, -1), f4, {2, 3}, {2, 3, 1, 5, 6, 4});
  check_equal(roll(x, 3, 0), f4, {2, 3}, {4, 5, 6, 1, 2, 3});
  check_equal(roll(x, 2), f4, {2, 3}, {5, 6, 1, 2, 3, 4});
  check_equal(roll(x.transpose(), 1), f4, {3, 2}, {6, 1, 4, 2, 5, 3});
  CHECK(roll(zeros({0, 2}), 5, 0).shape() == Shape{0, 2});
  check_equal(roll(array({1, 2, 3}, i4), std::numeric_limits<std::int64_t>::min(), 0), i4, {3},
              {3, 1, 2});
  const Array same = roll(x, 0, 0);
  same.fill(0.0);
  CHECK(x.item({0, 0}) == 1.0);
}

DEVICE_TEST_CASE("repeat repeats elements, tile the whole") {
  const Array x = array({{1, 2}, {3, 4}});
  check_equal(repeat(x, 2), f4, {8}, {1, 1, 2, 2, 3, 3, 4, 4});
  check_equal(repeat(x, 2, 0), f4, {4, 2}, {1, 2, 1, 2, 3, 4, 3, 4});
  check_equal(repeat(x.transpose(), 2, 1), f4, {2, 4}, {1, 1, 3, 3, 2, 2, 4, 4});
  check_equal(repeat(x, 0, 1), f4, {2, 0}, {});
  check_equal(repeat(full({}, 3.0), 2), f4, {2}, {3, 3});
  check_equal(tile(x, {2}), f4, {2, 4}, {1, 2, 1, 2, 3, 4, 3, 4});
  check_equal(tile(x, {2, 1}), f4, {4, 2}, {1, 2, 3, 4, 1, 2, 3, 4});
  check_equal(tile(array({1, 2}, i8), {2, 2}), i8, {2, 4}, {1, 2, 1, 2, 1, 2, 1, 2});
  check_equal(tile(x, {}), f4, {2, 2}, {1, 2, 3, 4});
  tile(x, {1, 1}).fill(9.0);  // numbers of its own
  check_equal(x, f4, {2, 2}, {1, 2, 3, 4});
  check_equal(tile(full({}, 5.0), {2, 2}), f4, {2, 2}, {5, 5, 5, 5});
  CHECK(tile(x, {0, 2}).shape() == Shape{0, 4});
  CHECK(tile(zeros({0, 3}), {2, 2}).shape() == Shape{0, 6});
  CHECK(tile(ones({1, 2, 1, 2, 1, 2, 1, 2}), {2, 1, 2, 1, 2, 1, 2, 1}).size() == 256);
  CHECK_THROWS_WITH(repeat(zeros({2}), -1, 0), "[repeat] expected counts of at least 0, got -1");
  CHECK_THROWS_WITH_TEXT(tile(zeros({2}), {-1}), ArgumentError, "[tile]");
  CHECK_THROWS_WITH_TEXT(tile(zeros({2}), {kHuge}), ShapeError, "2^63");
  CHECK_THROWS_WITH_TEXT(repeat(zeros({2, 0}), kHuge, 0), ShapeError, "2^63");
}

}  // namespace
}  // namespace gaia::test
