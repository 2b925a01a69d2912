// SPDX-License-Identifier: MIT
/// \file
/// Functions of every element: dtypes, special values, and what they refuse.  Their numbers are
/// tested in tests/backend.
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../reference/elementwise.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

using Function = std::function<Array(const Array&)>;

/// The function of arrays for each of unary_cases(), in their order.
const std::vector<Function>& functions() {
  using A = const Array&;
  static const std::vector<Function> list = {negative,
                                             abs,
                                             sign,
                                             square,
                                             sqrt,
                                             rsqrt,
                                             reciprocal,
                                             exp,
                                             exp2,
                                             expm1,
                                             log,
                                             log2,
                                             log10,
                                             log1p,
                                             floor,
                                             ceil,
                                             [](A x) { return round(x); },
                                             trunc,
                                             [](A x) { return clip(x, -1.5, 2.5); },
                                             sin,
                                             cos,
                                             tan,
                                             arcsin,
                                             arccos,
                                             arctan,
                                             sinh,
                                             cosh,
                                             tanh,
                                             arcsinh,
                                             arccosh,
                                             arctanh,
                                             erf,
                                             erfc,
                                             sigmoid,
                                             relu,
                                             [](A x) { return leaky_relu(x, 0.25); },
                                             log_sigmoid,
                                             [](A x) { return elu(x, 0.75); },
                                             selu,
                                             [](A x) { return softplus(x, 2.0, 6.0); },
                                             silu,
                                             [](A x) { return gelu(x); },
                                             [](A x) { return gelu(x, GeluForm::exact); }};
  return list;
}

TEST_CASE("Each function computes what its name says, in every dtype") {
  const auto cases = unary_cases();
  REQUIRE(functions().size() == cases.size());
  on_each_device([&] {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      INFO(cases[i].name);
      const double middle = cases[i].low + 0.625 * (cases[i].high - cases[i].low);
      for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16}) {
        const Array x = full({2}, middle, dtype);
        const Array y = functions()[i](x);
        CHECK(y.dtype() == floating_result(dtype));
        check_near(y, Values({2}, cases[i].reference(x.item({0}))), 16, 1);
      }
      if (cases[i].high < 1 || cases[i].low > 1) continue;
      const bool stays = cases[i].of_integers || cases[i].name == "floor" ||
                         cases[i].name == "ceil" || cases[i].name == "round" ||
                         cases[i].name == "trunc";
      const Array y = functions()[i](full({2}, 1.0, DType::int32));
      const DType expected = stays ? DType::int32 : DType::float64;
      CHECK(y.dtype() == expected);
      check_near(y, Values({2}, cases[i].reference(1.0)), 16, 1);
    }
  });
}

TEST_CASE("Special values are those of NumPy") {
  on_each_device([] {
    const auto at = [](const Function& f, double x) {
      return f(full({}, x, DType::float64)).item();
    };
    CHECK(at(rsqrt, 0.0) == kInfinity);
    CHECK(at(reciprocal, -0.0) == -kInfinity);
    CHECK(at(log, 0.0) == -kInfinity);
    CHECK(std::isnan(at(log, -1.0)));
    CHECK(at(log1p, -1.0) == -kInfinity);
    CHECK(at(log1p, 1e-20) == 1e-20);
    CHECK(at(expm1, 1e-20) == 1e-20);
    CHECK(at(exp2, 10) == 1024);
    CHECK(std::isnan(at(arcsin, 1.5)));
    CHECK(at(arctanh, 1.0) == kInfinity);
    CHECK(std::isnan(at(arccosh, 0.5)));
    CHECK(at(erfc, 10) == Approx(2.0884875837625447e-45).epsilon(1e-12));
    CHECK(at([](const Array& x) { return round(x); }, 2.5) == 2);
    CHECK(at([](const Array& x) { return round(x); }, -1.5) == -2);
    CHECK(std::signbit(at(ceil, -0.5)));
    CHECK(at(sigmoid, -kInfinity) == 0);
    CHECK(at(log_sigmoid, -1000) == -1000);
    CHECK(at([](const Array& x) { return softplus(x); }, 1000) == 1000);
    CHECK(at([](const Array& x) { return elu(x); }, -kInfinity) == -1);
    // Far out on the left, where 1 + tanh and 1 + erf have no digits.
    CHECK(at([](const Array& x) { return gelu(x, GeluForm::exact); }, -10) ==
          Approx(-7.619853024160525e-23).epsilon(1e-10));
    CHECK(at([](const Array& x) { return gelu(x); }, -5) ==
          Approx(-2.291796196629506e-07).epsilon(1e-10));
    for (const Function& f : functions()) CHECK(std::isnan(at(f, kNaN)));
  });
}

TEST_CASE("round takes decimals on either side of the point") {
  on_each_device([] {
    check_near(
        round(array({1.125, -2.375, 1234.5}, DType::float64), 2),
        [] {
          Values v({3});
          v.numbers = {1.12, -2.38, 1234.5};
          return v;
        }(),
        0);
    check_equal(round(array({15, 25, -1234.5}), -1), DType::float32, {3}, {20, 20, -1230});
    check_equal(round(array({15, 24, -1234}, DType::int64), -1), DType::int64, {3},
                {20, 20, -1230});
    check_equal(round(array({15, 24}, DType::int32), 3), DType::int32, {2}, {15, 24});
  });
}

TEST_CASE("clip has two bounds, one or none") {
  on_each_device([] {
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
  });
  CHECK_THROWS_AS(clip(ones({2}), {}, {}), ArgumentError);
}

TEST_CASE("softplus refuses a beta that its dtype cannot hold") {
  CHECK_THROWS_WITH_TEXT(softplus(ones({2}), 1e-50), ArgumentError,
                         "[softplus] beta: expected a number that float32 can hold");
  CHECK(softplus(ones({2}, DType::float64), 1e-50).item({0}) == Approx(std::log(2.0) * 1e50));
}

TEST_CASE("Questions about elements are answered with bool") {
  on_each_device([] {
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
  });
}

TEST_CASE("log_softmax along any axis") {
  on_each_device([] {
    const Array x = array({{1, 2}, {3, 5}}, DType::float64);
    const double a = -std::log1p(std::exp(-2.0));
    const double b = -std::log1p(std::exp(-3.0));
    Values expected({2, 2});
    expected.numbers = {a - 2, b - 3, a, b};
    check_near(log_softmax(x, 0), expected, 4);
    CHECK(log_softmax(arange(3)).dtype() == DType::float64);
    CHECK(log_softmax(zeros({0, 3})).shape() == Shape{0, 3});
  });
  CHECK_THROWS_WITH(log_softmax(zeros({3, 0})), "[log_softmax] axis 1 of shape [3, 0] is empty");
  CHECK_THROWS_AS(log_softmax(zeros({})), ShapeError);
}

}  // namespace
}  // namespace gaia::test
