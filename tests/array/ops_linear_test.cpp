// SPDX-License-Identifier: MIT
/// \file
/// Matrix products, softmax, and questions about arrays.
#include <limits>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("matmul multiplies matrices, rows and columns") {
  const Array a = array({{1, 2, 3}, {4, 5, 6}});
  const Array b = array({{1, 0}, {0, 1}, {1, 1}});
  check_equal(matmul(a, b), f4, {2, 2}, {4, 5, 10, 11});
  check_equal(matmul(a, array({1, 1, 1})), f4, {2}, {6, 15});
  check_equal(matmul(array({1, 1}), a), f4, {3}, {5, 7, 9});
  check_equal(matmul(array({1, 2, 3}), array({4, 5, 6})), f4, {}, {32});
  check_equal(matmul(a.transpose(), b.transpose()), f4, {3, 3}, {1, 4, 5, 2, 5, 7, 3, 6, 9});
  check_equal(matmul(array({{2}}), array({{3}})), f4, {1, 1}, {6});
}

DEVICE_TEST_CASE("matmul broadcasts leading axes") {
  const Array a = arange(12).astype(f8).reshape({2, 1, 2, 3});
  const Array b = arange(18).astype(f8).reshape({3, 3, 2});
  const Array y = matmul(a, b);
  CHECK(y.shape() == Shape{2, 3, 2, 2});
  check_equal(y[1][2], f8, {2, 2}, matmul(a[1][0], b[2]).to_vector<double>());
  CHECK(matmul(a[0][0], b).shape() == Shape{3, 2, 2});
  CHECK(matmul(b, array({1, 1}, f8)).shape() == Shape{3, 3});
  CHECK(matmul(array({1, 1, 1}, f8), b).shape() == Shape{3, 2});
  check_equal(matmul(array({1, 1, 1}, f8), b)[2], f8, {2}, {42, 45});
}

DEVICE_TEST_CASE("matmul of nothing is zeros or nothing") {
  check_equal(matmul(zeros({2, 0}), zeros({0, 3})), f4, {2, 3}, {0, 0, 0, 0, 0, 0});
  check_equal(matmul(Array(), Array()), f4, {}, {0});
  CHECK(matmul(zeros({0, 3}), zeros({3, 2})).shape() == Shape{0, 2});
  CHECK(matmul(zeros({4, 0, 3}), zeros({3, 2})).shape() == Shape{4, 0, 2});
  CHECK(matmul(zeros({0, 2, 3}), zeros({3, 2})).shape() == Shape{0, 2, 2});
}

DEVICE_TEST_CASE("matmul answers in the dtype that holds both") {
  for (const DType a : {b1, i4, i8, bf, f4, f8}) {
    for (const DType b : {b1, i4, i8, bf, f4, f8}) {
      const Array y = matmul(array({{1, 1}}, a), array({{1}, {1}}, b));
      const DType both = promote(a, b);
      check_equal(y, both == bf ? f4 : both, {1, 1}, {both == b1 ? 1.0 : 2.0});
    }
  }
}

DEVICE_TEST_CASE("matmul of integers is exact and wraps around") {
  const Array large = array({{(std::int64_t{1} << 53) + 1, -3}}, i8);
  CHECK(matmul(large, array({{1}, {2}}, i8)).to_vector<std::int64_t>()[0] ==
        (std::int64_t{1} << 53) - 5);
  CHECK(matmul(full({1}, 0x40000000, i4), full({1}, 6, i4)).item() == -0x80000000LL);
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const Array low = array({lowest, -1}, i8);
  CHECK(matmul(low, low).to_vector<std::int64_t>()[0] == 1);
}

TEST_CASE("matmul lets NaN and infinities through") {
  const Array a = array({{kNaN, 0}, {1, kInfinity}});
  const Array b = array({{0, 1}, {1, 0}});
  check_equal(matmul(a, b), f4, {2, 2}, {kNaN, kNaN, kInfinity, kNaN});
}

TEST_CASE("matmul refuses shapes that do not fit") {
  CHECK_THROWS_WITH(matmul(zeros({2, 3}), zeros({4, 5})),
                    "[matmul] shapes [2, 3] and [4, 5] do not fit: 3 columns meet 4 rows");
  CHECK_THROWS_WITH(matmul(zeros({3}), zeros({4})),
                    "[matmul] shapes [3] and [4] do not fit: 3 columns meet 4 rows");
  CHECK_THROWS_WITH(matmul(full({}, 1.0), zeros({2})),
                    "[matmul] expected at least 1 dimension, got shapes [] and [2]");
  CHECK_THROWS_WITH_TEXT(matmul(zeros({2, 3, 4}), zeros({5, 4, 3})), ShapeError,
                         "[matmul] shapes [2] and [5] do not broadcast");
}

DEVICE_TEST_CASE("softmax sums to 1 along its axis") {
  const Array x = array({{1, 2, 3}, {-1, 0, 4}}, f8);
  for (const std::int64_t axis : {0, 1, -1, -2}) {
    const Array y = softmax(x, axis);
    CHECK(y.shape() == x.shape());
    CHECK(all_close(sum(y, {axis}), ones({1}, f8), 1e-14));
  }
  Values expected(Shape{3});
  expected.numbers = {0.09003057317038046, 0.24472847105479764, 0.6652409557748218};
  check_near(softmax(array({1, 2, 3}, f8)), expected, 4);
  check_near(softmax(array({1, 2, 3}, f4)), expected, 4);
  CHECK(softmax(array({1, 2}, i4)).dtype() == f8);
  CHECK(softmax(array({1, 2}, bf)).dtype() == f4);
  check_equal(softmax(array({5})), f4, {1}, {1});
  CHECK(softmax(zeros({0, 3})).shape() == Shape{0, 3});
}

TEST_CASE("softmax of large numbers does not overflow") {
  for (const DType dtype : {f4, f8}) {
    check_equal(softmax(array({1e30, 1e30}, dtype)), dtype, {2}, {0.5, 0.5});
    check_equal(softmax(array({1000, 0, -1000}, dtype)), dtype, {3}, {1, 0, 0});
    check_equal(softmax(array({-1000, 1000, 0}, dtype)), dtype, {3}, {0, 1, 0});
    check_equal(softmax(array({-1e30, -1e30, -kInfinity}, dtype)), dtype, {3}, {0.5, 0.5, 0});
    check_equal(softmax(array({kNaN, 1}, dtype)), dtype, {2}, {kNaN, kNaN});
    check_equal(softmax(array({1, kNaN}, dtype)), dtype, {2}, {kNaN, kNaN});
  }
}

TEST_CASE("softmax refuses axes that are empty or do not exist") {
  CHECK_THROWS_WITH(softmax(zeros({2, 0})), "[softmax] axis 1 of shape [2, 0] is empty");
  CHECK_THROWS_WITH(softmax(zeros({2, 3}), 2), "[softmax] axis 2 does not exist in 2 dimensions");
  CHECK_THROWS_AS(softmax(full({}, 1.0)), ShapeError);
}

TEST_CASE("all_close means within tolerance, as in NumPy") {
  CHECK(all_close(array({1, 2}), array({1, 2})));
  CHECK(all_close(array({1.0}, f8), array({1.000009}, f8)));
  CHECK_FALSE(all_close(array({1.0}, f8), array({1.00002}, f8)));
  CHECK(all_close(array({0.0}, f8), array({9e-9}, f8)));
  CHECK_FALSE(all_close(array({0.0}, f8), array({2e-8}, f8)));
  CHECK(all_close(array({1.0}, f8), array({1.1}, f8), 0.2));
  CHECK(all_close(array({1.0}, f8), array({1.1}, f8), 0.0, 0.2));
  CHECK(all_close(ones({2, 3}), ones({3})));
  CHECK(all_close(array({1}, i4), array({1}, f8)));
  CHECK(all_close(Array(), Array()));
  CHECK_THROWS_WITH_TEXT(all_close(ones({2}), ones({3})), ShapeError, "[allclose]");
}

TEST_CASE("all_close knows NaN and infinities") {
  CHECK_FALSE(all_close(array({kNaN}), array({kNaN})));
  CHECK_FALSE(all_close(array({kNaN}), array({1})));
  CHECK(all_close(array({kInfinity, -kInfinity}), array({kInfinity, -kInfinity})));
  CHECK_FALSE(all_close(array({1}), array({kInfinity})));
  CHECK_FALSE(all_close(array({kInfinity}), array({1})));
  CHECK_FALSE(all_close(array({kInfinity}), array({-kInfinity})));
  CHECK_FALSE(all_close(array({kNaN}), array({kInfinity})));
}

DEVICE_TEST_CASE("first_not_finite finds the first NaN or infinity in row-major order") {
  for (const DType dtype : {bf, f4, f8}) {
    for (const double bad : {kNaN, kInfinity, -kInfinity}) {
      const Array x = ones({5, 7}, dtype);
      CHECK(first_not_finite(x) == -1);
      x.slice(0, 3, 4).slice(1, 2, 3).fill(bad);
      CHECK(first_not_finite(x) == 23);
      x.slice(0, 4, 5).fill(bad);
      CHECK(first_not_finite(x) == 23);
      CHECK(first_not_finite(x.transpose()) == 4);  // [0, 4] of the transpose
      CHECK(first_not_finite(x.slice(1, 0, 2).slice(0, 0, 4)) == -1);
      CHECK(first_not_finite(x.slice(1, {}, {}, -1)) == 25);
    }
  }
  CHECK(first_not_finite(full({3}, std::numeric_limits<float>::max())) == -1);
  CHECK(first_not_finite(array({0, -0.0, 1e-45})) == -1);
  CHECK(first_not_finite(arange(5)) == -1);
  CHECK(first_not_finite(Array()) == -1);
  CHECK(first_not_finite(full({}, kNaN)) == 0);
  for (const DType dtype : {f4, f8}) {  // many pieces, of which two have some
    const Array long_one = ones({150'001}, dtype);
    CHECK(first_not_finite(long_one) == -1);
    for (const std::int64_t at : {150'000, 149'999, 70'017, 70'016}) {
      long_one.slice(0, at, at + 1).fill(at % 2 == 0 ? kNaN : kInfinity);
      CHECK(first_not_finite(long_one) == at);
    }
  }
}

}  // namespace
}  // namespace gaia::test
