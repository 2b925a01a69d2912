// SPDX-License-Identifier: MIT
/// \file
/// Differences between neighbours: NumPy's numbers, ends, and refusals.
#include "../../src/array/differences.h"
#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("diff is numpy.diff") {
  const Array x = array({{1, 4, 9, 16}, {0, 0, 2, 1}});
  check_equal(diff(x), f4, {2, 3}, {3, 5, 7, 0, 2, -1});
  check_equal(diff(x, 2), f4, {2, 2}, {2, 2, 2, -3});
  check_equal(diff(x, 1, 0), f4, {1, 4}, {-1, -4, -7, -15});
  CHECK(diff(x, 9).shape() == Shape{2, 0});
  CHECK(diff(x, 0).shape() == Shape{2, 4});
  check_equal(diff(x.astype(i4)), i4, {2, 3}, {3, 5, 7, 0, 2, -1});
  check_equal(diff(x > 1), b1, {2, 3}, {1, 0, 0, 0, 1, 1});
  check_equal(diff(x.transpose(), 1, 0), f4, {3, 2}, {3, 0, 5, 2, 7, -1});
  check_equal(diff(x[0], 1, -1, full({}, 0.0)), f4, {4}, {1, 3, 5, 7});
  check_equal(diff(x, 1, 1, {}, array({{20, 21}, {0, 0}})), f4, {2, 5},
              {3, 5, 7, 4, 1, 0, 2, -1, -1, 0});
  CHECK(diff(x, 1, 0, full({}, 0.0, f8)).dtype() == f8);
  CHECK_THROWS_WITH_TEXT(diff(full({}, 1.0)), ShapeError, "[diff] expected at least 1 dimension");
  CHECK_THROWS_WITH_TEXT(diff(ones({3}), -1), ArgumentError, "[diff] expected n of at least 0");
  CHECK_THROWS_AS(diff(ones({3}), 1, 1), ShapeError);
}

}  // namespace
}  // namespace gaia::test
