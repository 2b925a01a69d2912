// SPDX-License-Identifier: MIT
/// \file
/// Functions of every element: dtypes, special values, and what they refuse.  Their numbers are
/// tested in tests/backend.
#include <cmath>
#include <functional>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../reference/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

using Function = std::function<Array(const Array&)>;

DEVICE_TEST_CASE("Each function computes what its name says, in every dtype") {
  for (const UnaryOp& c : unary_ops()) {
    INFO(c.name);
    const auto& function = c.named.of_array;
    const double middle = c.low + 0.625 * (c.high - c.low);
    for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16}) {
      const Array x = full({2}, middle, dtype);
      const Array y = function(x);
      CHECK(y.dtype() == floating_result(dtype));
      check_near(y, Values({2}, c(x.item({0}))), 16, 1);
    }
    if (c.high < 1 || c.low > 1) continue;
    const bool stays = facts_of(c.function).whole != Whole::as_floating;
    const Array y = function(full({2}, 1.0, DType::int32));
    const DType expected = stays ? DType::int32 : DType::float64;
    CHECK(y.dtype() == expected);
    check_near(y, Values({2}, c(1.0)), 16, 1);
  }
}

DEVICE_TEST_CASE("Special values are those of NumPy") {
  const auto number = [](double x) { return full({}, x, DType::float64); };
  CHECK(rsqrt(number(0.0)).item() == kInfinity);
  CHECK(reciprocal(number(-0.0)).item() == -kInfinity);
  CHECK(log(number(0.0)).item() == -kInfinity);
  CHECK(std::isnan(log(number(-1.0)).item()));
  CHECK(log1p(number(-1.0)).item() == -kInfinity);
  CHECK(log1p(number(1e-20)).item() == 1e-20);
  CHECK(expm1(number(1e-20)).item() == 1e-20);
  CHECK(exp2(number(10)).item() == 1024);
  CHECK(std::isnan(arcsin(number(1.5)).item()));
  CHECK(arctanh(number(1.0)).item() == kInfinity);
  CHECK(std::isnan(arccosh(number(0.5)).item()));
  CHECK(erfc(number(10)).item() == Approx(2.0884875837625447e-45).epsilon(1e-12));
  CHECK(round(number(2.5)).item() == 2);
  CHECK(round(number(-1.5)).item() == -2);
  CHECK(std::signbit(ceil(number(-0.5)).item()));
  CHECK(sigmoid(number(-kInfinity)).item() == 0);
  CHECK(log_sigmoid(number(-1000)).item() == -1000);
  CHECK(softplus(number(1000)).item() == 1000);
  CHECK(elu(number(-kInfinity)).item() == -1);
  // Far out on the left, where 1 + tanh and 1 + erf have no digits.
  CHECK(gelu(number(-10), GeluForm::exact).item() == Approx(-7.619853024160525e-23).epsilon(1e-10));
  CHECK(gelu(number(-5)).item() == Approx(-2.291796196629506e-07).epsilon(1e-10));
  for (const UnaryOp& c : unary_ops()) CHECK(std::isnan(c.named.of_array(number(kNaN)).item()));
}

DEVICE_TEST_CASE("round takes decimals on either side of the point") {
  check_near(
      round(array({1.125, -2.375, 1234.5}, DType::float64), 2),
      [] {
        Values v({3});
        v.numbers = {1.12, -2.38, 1234.5};
        return v;
      }(),
      0);
  check_equal(round(array({15, 25, -1234.5}), -1), DType::float32, {3}, {20, 20, -1230});
  check_equal(round(array({15, 24, -1234}, DType::int64), -1), DType::int64, {3}, {20, 20, -1230});
  check_equal(round(array({15, 24}, DType::int32), 3), DType::int32, {2}, {15, 24});
}

DEVICE_TEST_CASE("clip has two bounds, one or none") {
  const Array x = array({-3, -1, 0, 2, 5});
  check_equal(clip(x, -1, 2), DType::float32, {5}, {-1, -1, 0, 2, 2});
  check_equal(clip(x, {}, 2), DType::float32, {5}, {-3, -1, 0, 2, 2});
  check_equal(clip(x, -1, {}), DType::float32, {5}, {-1, -1, 0, 2, 5});
  check_equal(clip(x, 2, -1), DType::float32, {5}, {-1, -1, -1, -1, -1});
  const Array integers = x.astype(DType::int64);
  check_equal(clip(integers, -1, 2), DType::int64, {5}, {-1, -1, 0, 2, 2});
  check_equal(clip(integers, -0.5, {}), DType::float64, {5}, {-0.5, -0.5, 0, 2, 5});
  const std::int64_t large = (std::int64_t(1) << 62) + 1;  // no double is this
  CHECK(clip(full({1}, 0x1p62, DType::int64), large, {}).to_vector<std::int64_t>().front() ==
        large);
  CHECK(std::isnan(clip(array({kNaN}), -1, 1).item()));
  CHECK(std::isnan(clip(array({0.5}), kNaN, 1).item()));
  CHECK(clip(array({-kInfinity}), {}, 1).item() == -kInfinity);
  CHECK_THROWS_AS(clip(ones({2}), {}, {}), ArgumentError);
}

TEST_CASE("softplus refuses a beta that its dtype cannot hold") {
  CHECK_THROWS_WITH_TEXT(softplus(ones({2}), 1e-50), ArgumentError,
                         "[softplus] beta: expected a number that float32 can hold");
  CHECK(softplus(ones({2}, DType::float64), 1e-50).item({0}) == Approx(std::log(2.0) * 1e50));
}

DEVICE_TEST_CASE("Questions about elements are answered with bool") {
  for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16}) {
    const Array x = array({0, -0.0, 1.5, kNaN, kInfinity, -kInfinity}, dtype);
    check_equal(isnan(x), DType::boolean, {6}, {0, 0, 0, 1, 0, 0});
    check_equal(isinf(x), DType::boolean, {6}, {0, 0, 0, 0, 1, 1});
    check_equal(isfinite(x), DType::boolean, {6}, {1, 1, 1, 0, 0, 0});
    check_equal(logical_not(x), DType::boolean, {6}, {1, 1, 0, 0, 0, 0});
  }
  const Array integers = arange(3);
  check_equal(isnan(integers), DType::boolean, {3}, {0, 0, 0});
  check_equal(isinf(integers), DType::boolean, {3}, {0, 0, 0});
  check_equal(isfinite(integers), DType::boolean, {3}, {1, 1, 1});
  check_equal(logical_not(integers > 1), DType::boolean, {3}, {1, 1, 0});
}

DEVICE_TEST_CASE("log_softmax along any axis") {
  const Array x = array({{1, 2}, {3, 5}}, DType::float64);
  const double a = -std::log1p(std::exp(-2.0));
  const double b = -std::log1p(std::exp(-3.0));
  Values expected({2, 2});
  expected.numbers = {a - 2, b - 3, a, b};
  check_near(log_softmax(x, 0), expected, 4);
  CHECK(log_softmax(arange(3)).dtype() == DType::float64);
  CHECK(log_softmax(zeros({0, 3})).shape() == Shape{0, 3});
  CHECK_THROWS_WITH(log_softmax(zeros({3, 0})), "[log_softmax] axis 1 of shape [3, 0] is empty");
  CHECK_THROWS_AS(log_softmax(zeros({})), ShapeError);
}

}  // namespace
}  // namespace gaia::test
