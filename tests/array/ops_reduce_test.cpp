// SPDX-License-Identifier: MIT
/// \file
/// Sums, means, extremes and norms along axes.
#include <cmath>
#include <limits>
#include <vector>

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

TEST_CASE("Reductions answer in NumPy's dtypes") {
  for (const DType dtype : {b1, i4, i8, bf, f4, f8}) {
    INFO(to_string(dtype));
    const Array x = array({{0, 1}, {1, 1}}, dtype);
    const bool is_real = is_floating(dtype);
    const DType own = dtype == bf ? f4 : dtype;
    check_equal(sum(x, {0}), is_real ? own : i8, {2}, {1, 2});
    check_equal(mean(x, {0}), is_real ? own : f8, {2}, {0.5, 1});
    check_equal(max(x, {0}), own, {2}, {1, 1});
    check_equal(min(x, {1}), own, {2}, {0, 1});
    check_equal(
        norm(x, {0}), is_real ? own : f8, {2},
        {1, static_cast<double>(is_real && own == f4 ? double(std::sqrt(2.0f)) : std::sqrt(2.0))});
  }
}

DEVICE_TEST_CASE("Sums and means of nothing are 0 and NaN, extremes of nothing an error") {
  const Array x = zeros({2, 0, 3});
  check_equal(sum(x), f4, {}, {0});
  check_equal(sum(x, {1}), f4, {2, 3}, {0, 0, 0, 0, 0, 0});
  check_equal(mean(x, {1}, true), f4, {2, 1, 3}, {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN});
  check_equal(mean(zeros({0}, i4)), f8, {}, {kNaN});
  check_equal(sum(zeros({0}, b1)), i8, {}, {0});
  check_equal(norm(zeros({0})), f4, {}, {0});
  CHECK(sum(x, {0}).shape() == Shape{0, 3});
  CHECK(max(x, {0}).shape() == Shape{0, 3});  // no result lacks elements
  CHECK(min(x, {0, 2}).shape() == Shape{0});
  CHECK_THROWS_AS(max(x, {1}), ShapeError);
  CHECK_THROWS_WITH(max(x), "[max] of no elements is not defined; got shape [2, 0, 3]");
  CHECK_THROWS_WITH(min(Array()), "[min] of no elements is not defined; got shape [0]");
  // NumPy refuses this too where there would be no element in the result.
  CHECK_THROWS_WITH(max(zeros({0, 0}), {0}),
                    "[max] of no elements is not defined; got shape [0, 0]");
  CHECK_THROWS_AS(min(zeros({0, 3, 0}), {-1}, true), ShapeError);
  CHECK(max(zeros({0, 3}), {1}).shape() == Shape{0});
}

TEST_CASE("Axes that do not exist or come twice are refused") {
  const Array x = zeros({2, 3});
  CHECK_THROWS_WITH(sum(x, {2}), "[sum] axis 2 does not exist in 2 dimensions");
  CHECK_THROWS_WITH(mean(x, {-3}), "[mean] axis -3 does not exist in 2 dimensions");
  CHECK_THROWS_WITH(max(x, {0, -2}), "[max] axis 0 given twice in [0, -2]");
  CHECK_THROWS_WITH_TEXT(min(x, {5}), ShapeError, "[min] axis 5");
  CHECK_THROWS_WITH_TEXT(norm(x, {5}), ShapeError, "[norm] axis 5");
  CHECK(sum(full({}, 1.0), {0}).item() == 1.0);  // as NumPy does
  CHECK_THROWS_AS(sum(full({}, 1.0), {1}), ShapeError);
}

TEST_CASE("Extremes of infinities, of negative numbers and of the widest integers are right") {
  for (const DType dtype : {f4, f8}) {
    check_equal(max(full({9}, -kInfinity, dtype)), dtype, {}, {-kInfinity});
    check_equal(min(full({9}, kInfinity, dtype)), dtype, {}, {kInfinity});
    check_equal(max(array({-3, -1, -2}, dtype)), dtype, {}, {-1});
    check_equal(min(array({3, 1, 2}, dtype)), dtype, {}, {1});
  }
  const std::vector<std::int64_t> wide = {std::numeric_limits<std::int64_t>::min(),
                                          std::numeric_limits<std::int64_t>::min() + 1};
  CHECK(max(from_values(wide, {2})).to_vector<std::int64_t>()[0] == wide[1]);
  CHECK(min(from_values(wide, {2})).to_vector<std::int64_t>()[0] == wide[0]);
  check_equal(max(zeros({3}, b1)), b1, {}, {0});
  check_equal(max(array({0, 1, 0}, b1)), b1, {}, {1});
  check_equal(min(array({1, 1}, b1)), b1, {}, {1});
}

TEST_CASE("Sums of integers are carried in int64 and means in double") {
  const std::int64_t quarter = std::int64_t(1) << 62;
  check_equal(sum(full({2}, 2147483647.0, i4)), i8, {}, {4294967294.0});
  const Array x = from_values(std::vector<std::int64_t>{quarter, quarter, quarter, quarter}, {4});
  CHECK(sum(x).to_vector<std::int64_t>()[0] == 0);  // wraps, as in NumPy
  CHECK(mean(x).item() == 0x1p62);                  // does not
  CHECK(mean(x.reshape({2, 2}), {0}).item({1}) == 0x1p62);
  check_equal(mean(full({3}, 2147483647.0, i4)), f8, {}, {2147483647.0});
  // The last bit counts in sums.
  const Array odd = from_values(std::vector<std::int64_t>{(std::int64_t(1) << 53), 1}, {2});
  CHECK(sum(odd).to_vector<std::int64_t>()[0] == (std::int64_t(1) << 53) + 1);
}

TEST_CASE("A float32 sum of 10^8 ones is 10^8") {
  const Array row = ones({10000});
  check_equal(sum(row.broadcast_to({10000, 10000})), f4, {}, {1e8});
  check_equal(sum(ones({1}).broadcast_to({100000000})), f4, {}, {1e8});
  check_equal(mean(row.broadcast_to({10000, 10000})), f4, {}, {1});
  check_equal(sum(row.broadcast_to({20000, 10000}), {0}).slice(0, -1), f4, {1}, {20000});
}

TEST_CASE("Sums of many numbers keep the accuracy of a few") {
  // 0.1 in float32, whose exact sum is known; naive float32 sums are off by percents here.
  const double tenth = static_cast<double>(0.1f);
  const Array x = full({1000}, 0.1, f4);
  const double exact = tenth * 2e7;
  CHECK(sum(x.broadcast_to({20000, 1000})).item() == static_cast<float>(exact));
  CHECK(sum(x.broadcast_to({20000, 1000}), {0}).item({7}) == static_cast<float>(tenth * 20000));
  CHECK(mean(x.broadcast_to({20000, 1000})).item() == static_cast<double>(0.1f));
  // In float64, where a plain loop would be off by 1e-9 or so, relative.
  const Array y = full({1000}, 0.1, f8);
  CHECK(std::abs(sum(y.broadcast_to({2000, 1000})).item() / 2e5 - 1) < 1e-14);
  CHECK(std::abs(sum(full({1000000}, 0.1, f8)).item() / 1e5 - 1) < 1e-14);
  CHECK(std::abs(sum(full({1000000, 1}, 0.1, f8).broadcast_to({1000000, 4}), {0}).item({1}) / 1e5 -
                 1) < 1e-14);
}

TEST_CASE("Large numbers that cancel leave what is left") {
  std::vector<double> values(100001, 1.0);
  values[0] = 1e8;
  values[100000] = -1e8;
  CHECK(sum(from_values(values, {100001}).astype(f4)).item() == 99999.0f);
  CHECK(sum(from_values(values, {100001})).item() == 99999.0);
}

}  // namespace
}  // namespace gaia::test
