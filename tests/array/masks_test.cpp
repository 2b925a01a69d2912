// SPDX-License-Identifier: MIT
/// \file
/// Elements by masks, and where elements are not zero.
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/indexing.h"
#include "../../src/array/ops.h"
#include "../../src/array/reductions.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("masked_select reads where the mask is true") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}});
  const Array mask = array({{1, 0, 1}, {0, 1, 0}}, b1);
  check_equal(masked_select(x, mask), f4, {3}, {1, 3, 5});
  check_equal(masked_select(x.transpose(), mask.transpose()), f4, {3}, {1, 5, 3});
  check_equal(masked_select(x, array({0, 1}, b1)), f4, {1, 3}, {4, 5, 6});
  check_equal(masked_select(x, zeros({2, 3}, b1)), f4, {0}, {});
  check_equal(masked_select(x, less(full({}, 3.0), x)), f4, {3}, {4, 5, 6});
  check_equal(masked_select(x, array({1}, b1).broadcast_to({2})), f4, {2, 3}, {1, 2, 3, 4, 5, 6});
  check_equal(masked_select(full({}, 7.0), ones({}, b1)), f4, {1}, {7});
  check_equal(masked_select(x, zeros({}, b1)), f4, {0, 2, 3}, {});
  CHECK(masked_select(zeros({0, 3}), zeros({0}, b1)).shape() == Shape{0, 3});
  CHECK(masked_select(zeros({2, 0}), ones({2}, b1)).shape() == Shape{2, 0});
  check_equal(masked_select(array({1, 2}, bf), array({0, 1}, b1)), bf, {1}, {2});
}

DEVICE_TEST_CASE("masked_assign writes where the mask is true") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}});
  const Array mask = array({{1, 0, 1}, {0, 1, 0}}, b1);
  masked_assign(x, mask, array({10, 20, 30}));
  check_equal(x, f4, {2, 3}, {10, 2, 20, 4, 30, 6});
  masked_assign(x, array({0, 1}, b1), array({7, 8, 9}, i8));
  check_equal(x, f4, {2, 3}, {10, 2, 20, 7, 8, 9});
  masked_assign(x.transpose(), mask.transpose(), full({}, 0.0));  // no reshape sees this view
  check_equal(x, f4, {2, 3}, {0, 2, 0, 7, 0, 9});
  masked_assign(x, equal(x, x), (x + x).reshape({6}));
  check_equal(x, f4, {2, 3}, {0, 4, 0, 14, 0, 18});
}

DEVICE_TEST_CASE("masked_fill sets where the mask is true") {
  const Array x = array({{1, 2, 3}, {4, kNaN, 6}});
  masked_fill(x, not_equal(x, x), -1.0);
  check_equal(x, f4, {2, 3}, {1, 2, 3, 4, -1, 6});
  masked_fill(x.slice(1, {}, {}, -2), array({1, 0}, b1), 0.0);
  check_equal(x, f4, {2, 3}, {0, 2, 0, 4, -1, 6});
  masked_fill(zeros({0, 2}), zeros({0}, b1), 1.0);
  const Array flags = zeros({2}, b1);
  masked_fill(flags, array({0, 1}, b1), 1.0);
  check_equal(flags, b1, {2}, {0, 1});
}

DEVICE_TEST_CASE("masked_fill reads a mask that lies in the array before it writes there") {
  const Array x = zeros({40}, b1);
  x.slice(0, 0, 1).fill(1.0);
  masked_fill(x.slice(0, 1, 40), x.slice(0, 0, 39), 1.0);
  CHECK(count_nonzero(x).item() == 2.0);
}

TEST_CASE("Masks are bool and of the leading axes") {
  const Array x = zeros({2, 3});
  CHECK_THROWS_WITH(
      masked_select(x, array({0, 1})),
      "[masked_select] expected a mask of bool, got float32; for indices there is take");
  CHECK_THROWS_WITH(masked_select(x, ones({3}, b1)),
                    "[masked_select] expected a mask of x's shape or of its leading axes, got [3] "
                    "for [2, 3]");
  CHECK_THROWS_AS(masked_fill(x, ones({2, 3, 1}, b1), 0.0), ShapeError);
  CHECK_THROWS_WITH_TEXT(masked_assign(x, ones({2, 3}, b1), zeros({5})), ShapeError,
                         "[masked_assign] shape [5] does not broadcast to [6]");
  CHECK_THROWS_WITH_TEXT(masked_fill(zeros({1}).broadcast_to({3}), ones({3}, b1), 1.0),
                         ArgumentError, "broadcast view");
}

DEVICE_TEST_CASE("nonzero, argwhere and flatnonzero say where elements are not zero") {
  const Array x = array({{0, 2, 0}, {kNaN, 0, -1}});
  const std::vector<Array> at = nonzero(x);
  REQUIRE(at.size() == 2);
  check_equal(at[0], i8, {3}, {0, 1, 1});
  check_equal(at[1], i8, {3}, {1, 0, 2});
  check_equal(argwhere(x), i8, {3, 2}, {0, 1, 1, 0, 1, 2});
  check_equal(flatnonzero(x), i8, {3}, {1, 3, 5});
  check_equal(argwhere(x.transpose()), i8, {3, 2}, {0, 1, 1, 0, 2, 1});
  check_equal(flatnonzero(zeros({3})), i8, {0}, {});
  CHECK(nonzero(zeros({2, 0}))[1].shape() == Shape{0});
  check_equal(argwhere(full({}, 5.0)), i8, {1, 0}, {});
  check_equal(flatnonzero(full({}, 5.0)), i8, {1}, {0});
  CHECK_THROWS_WITH_TEXT(nonzero(full({}, 1.0)), ShapeError, "at least 1 dimension");
}

TEST_CASE("Positions in long masks are found by all threads together") {
  const std::int64_t n = 200003;
  const Array x = zeros({n}, b1);
  x.slice(0, 1, {}, 7).fill(1.0);
  const Array expected = arange(n).slice(0, 1, {}, 7);
  for (const int threads : {1, 3}) {
    const Threads scope(threads);
    CHECK(flatnonzero(x).to_vector<std::int64_t>() == expected.to_vector<std::int64_t>());
  }
}

}  // namespace
}  // namespace gaia::test
