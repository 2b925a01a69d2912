// SPDX-License-Identifier: MIT
/// \file
/// Functions of one and two numbers: dtypes, broadcasting and the values where care is needed. That
/// they are right everywhere else, on every device, is tested in tests/backend.
#include "../../src/array/ops.h"

#include <cmath>
#include <limits>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

const std::vector<DType> kAll = {b1, i4, i8, bf, f4, f8};

template <class T>
Array integers(const std::vector<T>& values) {
  return from_values(values, {static_cast<std::int64_t>(values.size())});
}

DEVICE_TEST_CASE("Arithmetic answers in the promoted dtype, for every pair of dtypes") {
  for (const DType a : kAll) {
    for (const DType b : kAll) {
      INFO(to_string(a) << " and " << to_string(b));
      const Array x = array({0, 1, 1}, a);
      const Array y = array({1, 0, 1}, b);
      const DType both = promote(a, b);
      const bool is_or = both == b1;
      check_equal(x + y, both, {3}, {1, 1, is_or ? 1.0 : 2.0});
      check_equal(x * y, both, {3}, {0, 0, 1});
      check_equal(maximum(x, y), both, {3}, {1, 1, 1});
      check_equal(minimum(x, y), both, {3}, {0, 0, 1});
      check_equal(y / array({2, 2, 2}, f8).astype(b), floating_result(b), {3},
                  b == b1 ? std::vector<double>{1, 0, 1} : std::vector<double>{0.5, 0, 0.5});
      CHECK((x / y).dtype() == floating_result(both));
      check_equal(equal(x, y), b1, {3}, {0, 0, 1});
      check_equal(not_equal(x, y), b1, {3}, {1, 1, 0});
      check_equal(less(x, y), b1, {3}, {1, 0, 0});
      check_equal(less_equal(x, y), b1, {3}, {1, 0, 1});
      if (is_or) {
        CHECK_THROWS_AS(x - y, DTypeError);
      } else {
        check_equal(x - y, both, {3}, {-1, 1, 0});
      }
    }
  }
}

TEST_CASE("Functions of one number keep or widen the dtype") {
  for (const DType dtype : kAll) {
    INFO(to_string(dtype));
    const Array x = array({0, 1}, dtype);
    if (dtype == b1) {
      CHECK_THROWS_WITH(-x, "[negative] is not defined for bool; use astype first");
      CHECK_THROWS_AS(sign(x), DTypeError);
      check_equal(abs(x), b1, {2}, {0, 1});
      check_equal(square(x), i8, {2}, {0, 1});
    } else {
      const DType own = dtype == bf ? f4 : dtype;
      check_equal(-x, own, {2}, {0, -1});
      check_equal(abs(-x), own, {2}, {0, 1});
      check_equal(sign(-x), own, {2}, {0, -1});
      check_equal(square(-x), own, {2}, {0, 1});
    }
    const DType real = floating_result(dtype);
    check_equal(sqrt(x), real, {2}, {0, 1});
    check_equal(relu(x), real, {2}, {0, 1});
    check_equal(leaky_relu(x), real, {2}, {0, 1});
    check_equal(log(exp(x * 0)), real, {2}, {0, 0});
    CHECK(tanh(x).dtype() == real);
    CHECK(sigmoid(x).dtype() == real);
    CHECK(gelu(x).dtype() == real);
    CHECK(activate(Activation::gelu, x).dtype() == real);
    CHECK(activate(Activation::linear, x).dtype() == dtype);
  }
  CHECK_THROWS_WITH(array({1}, b1) - array({0}, b1),
                    "[subtract] is not defined for bool; use not_equal or astype");
}

TEST_CASE("bool adds as or and multiplies as and") {
  const Array a = array({1, 1, 0, 0}, b1);
  const Array b = array({1, 0, 1, 0}, b1);
  check_equal(a + b, b1, {4}, {1, 1, 1, 0});
  check_equal(a * b, b1, {4}, {1, 0, 0, 0});
  check_equal(a / array({1}, b1), f8, {4}, {1, 1, 0, 0});
  check_equal(less(b, a), b1, {4}, {0, 1, 0, 0});
}

DEVICE_TEST_CASE("Integers wrap around") {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const std::int32_t least = std::numeric_limits<std::int32_t>::min();
  const Array x = integers<std::int32_t>({most, least, 65536, 46341});
  check_equal(x + 1, i4, {4}, {double(least), double(least) + 1, 65537, 46342});
  check_equal(x - 1, i4, {4}, {double(most) - 1, double(most), 65535, 46340});
  check_equal(x * x, i4, {4}, {1, 0, 0, -2147479015});
  check_equal(square(x), i4, {4}, {1, 0, 0, -2147479015});
  check_equal(-x, i4, {4}, {-double(most), double(least), -65536, -46341});
  check_equal(abs(x), i4, {4}, {double(most), double(least), 65536, 46341});

  const std::int64_t widest = std::numeric_limits<std::int64_t>::max();
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const Array y = integers<std::int64_t>({widest, lowest});
  using Wide = std::vector<std::int64_t>;
  CHECK((y + 1).to_vector<std::int64_t>() == Wide{lowest, lowest + 1});
  CHECK((y - 1).to_vector<std::int64_t>() == Wide{widest - 1, widest});
  CHECK((y * y).to_vector<std::int64_t>() == Wide{1, 0});
  CHECK((-y).to_vector<std::int64_t>() == Wide{-widest, lowest});
  CHECK(abs(y).to_vector<std::int64_t>() == Wide{widest, lowest});
  CHECK(sign(y).to_vector<std::int64_t>() == Wide{1, -1});
}

TEST_CASE("Integers divide to float64, by 0 to infinities and NaN") {
  for (const DType dtype : {i4, i8}) {
    check_equal(array({7, -7, 7, 1, -1, 0}, dtype) / array({2, 2, -2, 0, 0, 0}, dtype), f8, {6},
                {3.5, -3.5, -3.5, kInfinity, -kInfinity, kNaN});
  }
}

TEST_CASE("Scalars take the array's dtype, except floating ones beside integers") {
  check_equal(array({1, 2}, f4) + 1e-3, f4, {2}, {1.0f + 1e-3f, 2.0f + 1e-3f});
  check_equal(array({1, 2}, f4) * 2, f4, {2}, {2, 4});
  check_equal(array({1, 2}, i4) + 1, i4, {2}, {2, 3});
  check_equal(array({1, 2}, i4) + 1.5, f8, {2}, {2.5, 3.5});
  check_equal(array({1, 2}, i8) + 1.5f, f8, {2}, {2.5, 3.5});
  check_equal(array({1, 0}, b1) + 1, i8, {2}, {2, 1});
  check_equal(array({1, 0}, b1) * 0.5, f8, {2}, {0.5, 0});
  check_equal(array({1, 2}, i4) / 2, f8, {2}, {0.5, 1});
  check_equal(3 - array({1, 2}, i4), i4, {2}, {2, 1});
  check_equal(1 / array({1, 2}, i4), f8, {2}, {1, 0.5});
  check_equal(1.0 - array({1, 2}, f4), f4, {2}, {0, -1});
  check_equal(2 * array({1, 2}) + array({1, 2}) * 2, f4, {2}, {4, 8});
}

TEST_CASE("Scalars lose nothing on the way") {
  const std::int64_t odd = (std::int64_t(1) << 53) + 1;  // no double
  CHECK((integers<std::int64_t>({0}) + odd).to_vector<std::int64_t>()[0] == odd);
  CHECK((integers<std::int64_t>({2}) * -odd).to_vector<std::int64_t>()[0] == -2 * odd);
  CHECK((odd - integers<std::int64_t>({1})).to_vector<std::int64_t>()[0] == odd - 1);
  // A float beside bfloat16 is not rounded to bfloat16.
  check_equal(array({1}, bf) * 0.1, f4, {1}, {0.1f});
  // Beyond int64.
  check_equal(integers<std::int64_t>({0}) + (~std::uint64_t(0)), f8, {1}, {0x1p64});
}

TEST_CASE("A scalar that does not fit into int32 is refused rather than changed") {
  const Array x = array({1}, i4);
  CHECK_THROWS_AS(x + 3000000000, ArgumentError);
  CHECK_THROWS_WITH(x * -3000000000,
                    "[multiply] expected a number that fits into int32, got -3000000000; use "
                    "astype(DType::int64) first");
  check_equal(x * 2147483647, i4, {1}, {2147483647.0});
  check_equal(x.astype(i8) + 3000000000, i8, {1}, {3000000001.0});
}

DEVICE_TEST_CASE("Operands broadcast, and errors name the shapes") {
  const Array row = array({1, 2, 3});
  const Array column = array({{10}, {20}});
  check_equal(row + column, f4, {2, 3}, {11, 12, 13, 21, 22, 23});
  check_equal(column - row, f4, {2, 3}, {9, 8, 7, 19, 18, 17});
  check_equal(full({}, 2.0) * row, f4, {3}, {2, 4, 6});
  CHECK((zeros({0, 3}) + row).shape() == Shape{0, 3});
  CHECK((zeros({0, 1}) + row).shape() == Shape{0, 3});
  CHECK(less(zeros({2, 0}), zeros({1, 1})).shape() == Shape{2, 0});
  const Array a = zeros({2, 3});
  const Array b = zeros({4});
  CHECK_THROWS_WITH(a + b, "[add] shapes [2, 3] and [4] do not broadcast: axis 1 has 3 and 4");
  CHECK_THROWS_WITH_TEXT(a - b, ShapeError, "[subtract]");
  CHECK_THROWS_WITH_TEXT(a * b, ShapeError, "[multiply]");
  CHECK_THROWS_WITH_TEXT(a / b, ShapeError, "[divide]");
  CHECK_THROWS_WITH_TEXT(maximum(a, b), ShapeError, "[maximum]");
  CHECK_THROWS_WITH_TEXT(minimum(a, b), ShapeError, "[minimum]");
  CHECK_THROWS_WITH_TEXT(equal(a, b), ShapeError, "[equal]");
  CHECK_THROWS_WITH_TEXT(not_equal(a, b), ShapeError, "[not_equal]");
  CHECK_THROWS_WITH_TEXT(less(a, b), ShapeError, "[less]");
  CHECK_THROWS_WITH_TEXT(less_equal(a, b), ShapeError, "[less_equal]");
}

TEST_CASE("NaN and infinities go through as IEEE 754 says") {
  on_each_device([] {
    for (const DType dtype : {f4, f8}) {
      const Array x = array({kNaN, kInfinity, -kInfinity, 0.0, -0.0, 1}, dtype);
      check_equal(maximum(x, array({1}, dtype)), dtype, {6}, {kNaN, kInfinity, 1, 1, 1, 1});
      check_equal(maximum(array({1}, dtype), x), dtype, {6}, {kNaN, kInfinity, 1, 1, 1, 1});
      check_equal(minimum(x, array({0.5}, dtype)), dtype, {6}, {kNaN, 0.5, -kInfinity, 0, 0, 0.5});
      check_equal(minimum(array({0.5}, dtype), x), dtype, {6}, {kNaN, 0.5, -kInfinity, 0, 0, 0.5});
      check_equal(sign(x), dtype, {6}, {kNaN, 1, -1, 0, 0, 1});
      check_equal(abs(x), dtype, {6}, {kNaN, kInfinity, kInfinity, 0, 0, 1});
      check_equal(relu(x), dtype, {6}, {kNaN, kInfinity, 0, 0, 0, 1});
      check_equal(leaky_relu(x, 0.5), dtype, {6}, {kNaN, kInfinity, -kInfinity, 0, 0, 1});
      check_equal(sqrt(x), dtype, {6}, {kNaN, kInfinity, kNaN, 0, 0, 1});
      check_equal(log(x), dtype, {6}, {kNaN, kInfinity, kNaN, -kInfinity, -kInfinity, 0});
      check_equal(tanh(x).slice(0, 0, 5), dtype, {5}, {kNaN, 1, -1, 0, 0});
      check_equal(exp(x).slice(0, 0, 5), dtype, {5}, {kNaN, kInfinity, 0, 1, 1});
      check_equal(1 / x, dtype, {6}, {kNaN, 0, 0, kInfinity, -kInfinity, 1});
      check_equal(x - x, dtype, {6}, {kNaN, kNaN, kNaN, 0, 0, 0});
      check_equal(x * 0, dtype, {6}, {kNaN, kNaN, kNaN, 0, 0, 0});
      check_equal(equal(x, x), b1, {6}, {0, 1, 1, 1, 1, 1});
      check_equal(not_equal(x, x), b1, {6}, {1, 0, 0, 0, 0, 0});
      check_equal(less(x, array({0}, dtype)), b1, {6}, {0, 0, 1, 0, 0, 0});
      check_equal(less_equal(x, array({0}, dtype)), b1, {6}, {0, 0, 1, 1, 1, 0});
    }
  });
  // The sign of zero.
  CHECK(std::signbit((-array({0.0})).item()));
  CHECK(std::signbit((array({-0.0}) * 1).item()));
  CHECK(std::signbit(sqrt(array({-0.0})).item()));
  CHECK_FALSE(std::signbit(abs(array({-0.0})).item()));
  CHECK_FALSE(std::signbit((array({-0.0}) + 0.0).item()));
}

TEST_CASE("sigmoid is exact at its extremes") {
  const Array x = array({0, 1, -1, 1000, -1000, kInfinity, -kInfinity, kNaN}, f8);
  Values expected(Shape{8});
  expected.numbers = {0.5, 0.7310585786300049, 0.2689414213699951, 1, 0, 1, 0, kNaN};
  check_near(sigmoid(x), expected, 2);
  check_near(sigmoid(x.astype(f4)), expected, 2);
  // Far out it is exp(x), to the last place, and never negative.
  CHECK(sigmoid(array({-700.0}, f8)).item() == Approx(std::exp(-700.0)).epsilon(1e-14));
  CHECK(sigmoid(array({-80.0}, f4)).item() == Approx(std::exp(-80.0)).epsilon(1e-6));
  CHECK(sigmoid(array({-110.0}, f4)).item() >= 0.0);
}

TEST_CASE("gelu has two forms, which differ by 4.73e-4 at most, and holds large numbers") {
  const Array grid = linspace(-8, 8, 16001, f8);
  const double apart = max(abs(gelu(grid) - gelu(grid, GeluForm::exact))).item();
  CHECK(apart == Approx(4.732e-4).epsilon(1e-3));
  CHECK(gelu(array({1e30, -1e30})).to_vector<double>()[0] == Approx(1e30));
  CHECK(gelu(array({1e30, -1e30})).to_vector<double>()[1] == 0.0);
}

TEST_CASE("activate is the function of its name") {
  const Array x = array({{-2, 0.5, 3}});
  const auto same = [](const Array& a, const Array& b) {
    return a.dtype() == b.dtype() && a.to_vector<double>() == b.to_vector<double>();
  };
  CHECK(same(activate(Activation::linear, x), x));
  CHECK(same(activate(Activation::relu, x), relu(x)));
  CHECK(same(activate(Activation::leaky_relu, x), leaky_relu(x, 0.01)));
  CHECK(same(activate(Activation::tanh, x), tanh(x)));
  CHECK(same(activate(Activation::sigmoid, x), sigmoid(x)));
  CHECK(same(activate(Activation::softmax, x), softmax(x, -1)));
  CHECK(same(activate(Activation::coates, x), relu(x - mean(x, {-1}, true))));
  CHECK(same(activate(Activation::gelu, x), gelu(x, GeluForm::tanh)));
  for (const std::string& name : activation_names()) {
    CHECK(to_string(activation_from_name(name)) == name);
  }
  CHECK_THROWS_WITH(activation_from_name("rellu"),
                    "unknown activation 'rellu' (did you mean 'relu'?); known: linear, relu, "
                    "leaky_relu, tanh, sigmoid, softmax, gelu, mish, hardswish, coates");
}

DEVICE_TEST_CASE("Operations leave their arguments alone and answer in memory of their own") {
  const Array x = array({{1, 2}, {3, 4}});
  for (const Array& y : {x + 0, x * 1, relu(x), maximum(x, x), sum(x, {0}), softmax(x, 0)}) {
    y.fill(9.0);
  }
  check_equal(x, f4, {2, 2}, {1, 2, 3, 4});
}

}  // namespace
}  // namespace gaia::test
