// SPDX-License-Identifier: MIT
/// \file
/// Operators in place, comparisons and logic with scalars, where, powers and whole-number division.
#include <cmath>
#include <cstdint>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("Operators in place change the elements, which views share") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}});
  const Array column = x.slice(1, 1, 2);
  const std::int64_t version = x.version();
  x += 1;
  check_equal(column, f4, {2, 1}, {3, 6});
  column *= array({10, 100}).expand_dims(1);
  check_equal(x, f4, {2, 3}, {2, 30, 4, 5, 600, 7});
  x[0] -= array({1, 10, 1});
  x.slice(0, 1, 2) /= 2;
  check_equal(x, f4, {2, 3}, {1, 20, 3, 2.5, 300, 3.5});
  CHECK(x.version() == version + 4);
  x.slice(1, 0, 0) += 1;  // nothing
  CHECK(x.version() == version + 4);
}

DEVICE_TEST_CASE("In place, the other side may lie in the same memory") {
  const Array x = arange(0, 5, 1, f8);
  x.slice(0, 1, {}) += x.slice(0, 0, -1);
  check_equal(x, f8, {5}, {0, 1, 3, 5, 7});
  const Array square = arange(0, 4, 1, f8).reshape({2, 2});
  square += square.transpose();
  check_equal(square, f8, {2, 2}, {0, 3, 3, 6});
  const Array flags = array({true, false}, b1);
  flags += array({true, true}, b1);  // or
  check_equal(flags, b1, {2}, {1, 1});
}

TEST_CASE("In place, dtype, shape and writability are kept") {
  const Array x = ones({2, 3});
  CHECK_THROWS_WITH(x += ones({2, 3}, f8),
                    "[operator+=] expected a result of dtype float32, that of the array, got "
                    "float64; cast the other with astype, or make a new array");
  CHECK_THROWS_AS(arange(3) += 0.5, DTypeError);
  CHECK_THROWS_AS(arange(3) /= 2, DTypeError);
  CHECK_THROWS_AS(array({true}, b1) -= array({true}, b1), DTypeError);
  CHECK_THROWS_AS(ones({1}, i4) += (std::int64_t(1) << 40), ArgumentError);
  CHECK_THROWS_WITH(x += ones({4}), "[operator+=] shape [4] does not broadcast to [2, 3]");
  CHECK_THROWS_AS(ones({3}) += x, ShapeError);
  CHECK_THROWS_AS(ones({1, 3}).broadcast_to({2, 3}) *= 2, ArgumentError);
  arange(3) += array({1, 2, 3}, i4);  // widens
  check_equal(x, f4, {2, 3}, {1, 1, 1, 1, 1, 1});
}

DEVICE_TEST_CASE(
    "In place, views that show an element more than once are refused, others are not") {
  const Array x = arange(0.0, 6.0, 1.0);
  const Array overlapping = x.windows(4, 3, 1);
  CHECK_THROWS_WITH(overlapping += 1,
                    "[operator+=] the array of shape [4, 3] is a view that may show an element "
                    "more than once, as overlapping windows do; use copy() first");
  CHECK_THROWS_AS(overlapping.transpose() *= 2, ArgumentError);
  CHECK_THROWS_AS(overlapping.fill(0), ArgumentError);
  CHECK_THROWS_AS(overlapping.slice(0, {}, {}, -1).assign(zeros({4, 3})), ArgumentError);
  check_equal(x, f4, {6}, {0, 1, 2, 3, 4, 5});
  // A single row or column of them, and windows that stand side by side, show each once.
  overlapping.slice(0, 1, 2) += 10;
  overlapping.slice(1, 2, 3) += 100;
  overlapping.slice(0, 0, 0) += 1;
  check_equal(x, f4, {6}, {0, 11, 112, 113, 104, 105});
  x.windows(2, 3, 3) -= 100;
  check_equal(x, f4, {6}, {-100, -89, 12, 13, 4, 5});
  const Array cube = zeros({2, 3, 4});
  cube.transpose() += 1;
  cube.slice(2, {}, {}, -1) += 1;
  cube.slice(1, {}, {}, 2).slice(2, 3, {}, -2).transpose() += 1;
  cube.diagonal(0, 0, 2) += 1;
  cube.expand_dims(1).swapaxes(0, 3) += 1;
  CHECK(sum(cube).item() == 3 * 24 + 8 + 6);
  full({}, 1.0) += 1;
}

TEST_CASE("In place, the array's device computes") {
  const FakeDevice fake;
  const Array x = ones({2}).to(fake.device());
  x += ones({2});
  x *= 3;
  CHECK(x.device() == fake.device());
  CHECK(x.to_vector<float>() == std::vector<float>{6, 6});
}

DEVICE_TEST_CASE("Arrays are compared with arrays and numbers, on either side") {
  const Array x = array({1, 2, 3});
  const Array y = array({3, 2, 1});
  check_equal(x < y, b1, {3}, {1, 0, 0});
  check_equal(x <= y, b1, {3}, {1, 1, 0});
  check_equal(x > y, b1, {3}, {0, 0, 1});
  check_equal(x >= y, b1, {3}, {0, 1, 1});
  check_equal(x == y, b1, {3}, {0, 1, 0});
  check_equal(x != y, b1, {3}, {1, 0, 1});
  check_equal(x < 2, b1, {3}, {1, 0, 0});
  check_equal(2 < x, b1, {3}, {0, 0, 1});
  check_equal(x <= 2, b1, {3}, {1, 1, 0});
  check_equal(2 <= x, b1, {3}, {0, 1, 1});
  check_equal(x > 2, b1, {3}, {0, 0, 1});
  check_equal(2 > x, b1, {3}, {1, 0, 0});
  check_equal(x >= 2, b1, {3}, {0, 1, 1});
  check_equal(2 >= x, b1, {3}, {1, 1, 0});
  check_equal(x == 2, b1, {3}, {0, 1, 0});
  check_equal(2 == x, b1, {3}, {0, 1, 0});
  check_equal(x != 2, b1, {3}, {1, 0, 1});
  check_equal(2 != x, b1, {3}, {1, 0, 1});
  // Numbers that the dtype does not hold.
  check_equal(arange(3).astype(i4) < (std::int64_t(1) << 40), b1, {3}, {1, 1, 1});
  check_equal(arange(3) == 1.5, b1, {3}, {0, 0, 0});
  check_equal(arange(3) > 0.5, b1, {3}, {0, 1, 1});
  // 0.1 beside float32 is a float32.
  CHECK((full({}, 0.1) == 0.1).item() == 1);
  const Array nan = full({1}, std::nan(""));
  check_equal(nan == nan, b1, {1}, {0});
  check_equal(nan != nan, b1, {1}, {1});
  check_equal(nan > 0, b1, {1}, {0});
  check_equal(nan <= 0, b1, {1}, {0});
}

DEVICE_TEST_CASE("Comparisons with a number and masks of any length") {
  for (const std::int64_t n : {1, 15, 16, 17, 100, 40'000}) {
    const Array x = arange(n).astype(f4);
    const double middle = static_cast<double>(n / 2);
    const Array above = x > middle;
    const Array below = middle > x;
    CHECK(count_nonzero(above).item() == static_cast<double>(n - n / 2 - 1));
    CHECK(count_nonzero(below).item() == static_cast<double>(n / 2));
    CHECK(count_nonzero(above & below).item() == 0);
    CHECK(count_nonzero(above | below).item() == static_cast<double>(n - 1));
    CHECK(count_nonzero((above | below) ^ below).item() == static_cast<double>(n - n / 2 - 1));
    CHECK(count_nonzero(above & above).item() == static_cast<double>(n - n / 2 - 1));
  }
}

DEVICE_TEST_CASE("Logic takes what is not zero for true") {
  const Array x = array({0, 2, std::nan(""), 0});
  const Array y = array({0, 0, 1, -1});
  check_equal(logical_and(x, y), b1, {4}, {0, 0, 1, 0});
  check_equal(logical_or(x, y), b1, {4}, {0, 1, 1, 1});
  check_equal(logical_xor(x, y), b1, {4}, {0, 1, 0, 1});
  const Array p = x != 0;
  const Array q = y != 0;
  check_equal(p & q, b1, {4}, {0, 0, 1, 0});
  check_equal(p | q, b1, {4}, {0, 1, 1, 1});
  check_equal(p ^ q, b1, {4}, {0, 1, 0, 1});
  check_equal(~p, b1, {4}, {1, 0, 0, 1});
  CHECK_THROWS_WITH(arange(2) & arange(2),
                    "[operator&] expected bool, got int64; compare first, or use logical_and and "
                    "its like");
  CHECK_THROWS_AS(~ones({2}), DTypeError);
}

DEVICE_TEST_CASE("where chooses, broadcasts and promotes") {
  const Array c = array({true, false, true}, b1);
  check_equal(where(c, array({1, 2, 3}), array({{10}, {20}})), f4, {2, 3}, {1, 10, 3, 1, 20, 3});
  check_equal(where(c, arange(3), array({0.5}, f8)), f8, {3}, {0, 0.5, 2});
  check_equal(where(c, array({1, 2, 3}), 0), f4, {3}, {1, 0, 3});
  check_equal(where(c, 7, arange(3)), i8, {3}, {7, 1, 7});
  check_equal(where(c, 1, 0), i8, {3}, {1, 0, 1});
  check_equal(where(c, 1.5, 0), f4, {3}, {1.5, 0, 1.5});
  check_equal(where(array({0, std::nan("")}), 1, 0), i8, {2}, {0, 1});
  CHECK(where(zeros({0, 1}), ones({1, 3}), 0.0).shape() == Shape{0, 3});
  CHECK_THROWS_AS(where(ones({2}), ones({3}), 0), ShapeError);
}

DEVICE_TEST_CASE("Powers and whole-number division follow NumPy's dtypes") {
  check_equal(power(arange(4), arange(4)), i8, {4}, {1, 1, 4, 27});
  check_equal(power(arange(3).astype(i4), 2), i4, {3}, {0, 1, 4});
  check_equal(power(array({-3, 0.5}), 2.0), f4, {2}, {9, 0.25});
  check_equal(power(array({-3, 0.5}, f8), 2.0), f8, {2}, {9, 0.25});
  check_equal(power(arange(3), 2.0), f8, {3}, {0, 1, 4});
  CHECK(power(array({-3, 0.5}, bf), 2.0).dtype() == power(array({-3, 0.5}, bf), 3.0).dtype());
  check_equal(power(2, arange(4)), i8, {4}, {1, 2, 4, 8});
  check_equal(power(array({1, 4, 9}), 0.5), f4, {3}, {1, 2, 3});
  check_equal(power(array({2.0}, f8), -1), f8, {1}, {0.5});
  check_equal(power(arange(1, 3), 0.5).astype(f4), f4, {2}, {1, std::sqrt(2.0f)});
  check_equal(floor_divide(array({7, -7}), 2), f4, {2}, {3, -4});
  check_equal(floor_divide(arange(-3, 3), 2), i8, {6}, {-2, -1, -1, 0, 0, 1});
  check_equal(remainder(arange(-3, 3), 2), i8, {6}, {1, 0, 1, 0, 1, 0});
  check_equal(arange(-3, 3) % 2, i8, {6}, {1, 0, 1, 0, 1, 0});
  check_equal(7 % array({4, -4}, i4), i4, {2}, {3, -1});
  check_equal(arange(3) % array({2, 2, 2}, i8), i8, {3}, {0, 1, 0});
  check_equal(fmod(arange(-3, 3), 2), i8, {6}, {-1, 0, -1, 0, 1, 0});
  check_equal(remainder(7, array({4, -4}, i4)), i4, {2}, {3, -1});
  check_equal(floor_divide(7, array({4, -4}, i4)), i4, {2}, {1, -2});
  check_equal(fmod(7, array({4, -4}, i4)), i4, {2}, {3, 3});
  check_equal(maximum(arange(3), 1), i8, {3}, {1, 1, 2});
  check_equal(minimum(arange(3), 0.5), f8, {3}, {0, 0.5, 0.5});
  CHECK(arctan2(array({1}, i4), array({-1}, i4)).item() == Approx(2.356194490192345));
  CHECK(hypot(arange(3, 4), arange(4, 5)).item() == 5);
  CHECK(logaddexp(ones({}), ones({})).item() == Approx(1.6931472));
  check_equal(weighted_sum(2, arange(3), -1, ones({3, 1}, i4)), i8, {3, 3},
              {-1, 1, 3, -1, 1, 3, -1, 1, 3});
  check_equal(weighted_sum(0.5, arange(3), 1, arange(3)), f8, {3}, {0, 1.5, 3});
  check_equal(weighted_sum(0.5, ones({2}), 1, array({2, 4}, f4).astype(DType::bfloat16)), f4, {2},
              {2.5, 4.5});
  // Numbers that double does not hold.
  check_equal(weighted_sum((std::int64_t{1} << 53) + 1, array({1}, i8), -1, array({1}, i8)) -
                  (std::int64_t{1} << 53),
              i8, {1}, {0});
  const Array a = array({1, 2}, f4);
  const Array tail = a.slice(0, 1);
  update_weighted(0.5, tail, 3, array({4}, f4));
  check_equal(a, f4, {2}, {1, 13});
  update_weighted(1, a, 1, a);
  check_equal(a, f4, {2}, {2, 26});
  CHECK_THROWS_WITH(power(arange(3), -1),
                    "[power] expected exponents of at least 0 for integers, got -1; use "
                    "astype(DType::float64) first");
  CHECK_THROWS_AS(power(arange(3), array({1, -2, 3}, i8)), ArgumentError);
  CHECK_THROWS_AS(remainder(ones({1}, b1), ones({1}, b1)), DTypeError);
  CHECK_THROWS_AS(weighted_sum(1, ones({1}, b1), 2, ones({1}, b1)), DTypeError);
  CHECK_THROWS_AS(weighted_sum(std::int64_t{1} << 40, ones({1}, i4), 1, ones({1}, i4)),
                  ArgumentError);
  CHECK_THROWS_AS(update_weighted(0.5, arange(3), 1, arange(3)), DTypeError);
  CHECK_THROWS_AS(update_weighted(1, ones({3}), 1, ones({2})), ShapeError);
}

}  // namespace
}  // namespace gaia::test
