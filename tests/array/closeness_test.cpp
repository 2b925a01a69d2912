// SPDX-License-Identifier: MIT
/// \file
/// Closeness: NumPy's answers, infinities and NaN, broadcasting and devices.
#include <cmath>

#include "../../src/array/closeness.h"
#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("isclose is numpy.isclose") {
  const double nan = std::nan("");
  const Array a = array({1e10, 1e-7, 1e10, 1e-8, nan, kInfinity, kInfinity, 1, kInfinity}, f8);
  const Array b =
      array({1.00001e10, 1e-8, 1.0001e10, 1e-9, nan, kInfinity, -kInfinity, kInfinity, 1}, f8);
  check_equal(isclose(a, b), b1, {9}, {1, 0, 0, 1, 0, 1, 0, 0, 0});
  check_equal(isclose(a, b, {.equal_nan = true}), b1, {9}, {1, 0, 0, 1, 1, 1, 0, 0, 0});
  // The second is the one that is known.
  check_equal(isclose(array({10, 9}), array({9, 10}), {.relative = 0.105}), b1, {2}, {0, 1});
  check_equal(isclose(array({{1}, {2}}), array({1, 2, 3}), {.absolute = 1}), b1, {2, 3},
              {1, 1, 0, 1, 1, 1});
  check_equal(isclose(array({1, 2}, i4), array({1.0, 2.1}, f8)), b1, {2}, {1, 0});
  check_equal(isclose(array({0, 1}, b1), array({0, 1}, b1)), b1, {2}, {1, 1});
  check_equal(isclose(array({1, 2}, i4), 2), b1, {2}, {0, 1});
  check_equal(isclose(array({1, 2}, i4), 1.000001), b1, {2}, {1, 0});
  CHECK(allclose(array({0, 1e-9}), 0));
  CHECK(isclose(zeros({0, 3}), zeros({3})).shape() == Shape{0, 3});
  CHECK(allclose(zeros({0, 3}), zeros({3})));
  CHECK(allclose(array({1, 2}), array({1, 2.00001})));
  CHECK_FALSE(allclose(array({1, 2}), array({1, 2.1})));
  CHECK_FALSE(allclose(full({}, nan), full({}, nan)));
  CHECK(allclose(full({}, nan), full({}, nan), {.equal_nan = true}));
  CHECK_THROWS_WITH_TEXT(isclose(ones({2}), ones({3})), ShapeError, "[isclose]");
  CHECK_THROWS_WITH_TEXT(allclose(ones({2}), ones({3})), ShapeError, "[allclose]");
}

TEST_CASE("Arrays of another device are compared on the host") {
  const FakeDevice fake;
  const Array here = array({1, 2, 3});
  const Array there = here.to(fake.device());
  set_transfer_policy(TransferPolicy::forbid);
  const bool is_close = allclose(there, here) && allclose(there, there);
  set_transfer_policy(TransferPolicy::allow);
  CHECK(is_close);
}

}  // namespace
}  // namespace gaia::test
