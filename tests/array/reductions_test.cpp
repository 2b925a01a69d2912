// SPDX-License-Identifier: MIT
/// \file
/// Reductions and scans: dtypes, nothing, NaN, infinities, and large numbers.  Against plain loops
/// they are tested in tests/backend.
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/indexing.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/array/sorting.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("Reductions answer in NumPy's dtypes and shapes") {
  const Array x = array({{1, 2, 3}, {4, 5, 9}}, i4);
  check_equal(prod(x), i8, {}, {1080});
  check_equal(prod(x, {0}), i8, {3}, {4, 10, 27});
  check_equal(prod(x.astype(f4), {1}, true), f4, {2, 1}, {6, 180});
  check_equal(var(x, {1}), f8, {2}, {2.0 / 3, 14.0 / 3});
  check_equal(var(x.astype(f8), {1}, 1, true), f8, {2, 1}, {1, 7});
  check_equal(gaia::std(x.astype(f4), {0}), f4, {3}, {1.5, 1.5, 3});
  check_equal(any(x > 6, {1}), b1, {2}, {0, 1});
  check_equal(all(x > 1, {1}, true), b1, {2, 1}, {0, 1});
  check_equal(count_nonzero(x - 2, {0}), i8, {3}, {2, 1, 2});
  check_equal(argmax(x), i8, {}, {5});
  check_equal(argmax(x, 0), i8, {3}, {1, 1, 1});
  check_equal(argmin(x, -1, true), i8, {2, 1}, {0, 0});
  CHECK(argmin(x, {}, true).shape() == Shape{1, 1});
  check_equal(cumsum(x, 1), i8, {2, 3}, {1, 3, 6, 4, 9, 18});
  check_equal(cumsum(x, 0), i8, {2, 3}, {1, 2, 3, 5, 7, 12});
  check_equal(cumprod(x.astype(f4)), f4, {6}, {1, 2, 6, 24, 120, 1080});
  check_equal(cumsum(x > 2), i8, {6}, {0, 0, 1, 2, 3, 4});
  check_equal(mean(full({}, 3.0), {}), f4, {}, {3});
  CHECK(sum(ones({2}, DType::bfloat16)).dtype() == f4);
  CHECK(cumsum(ones({2}, DType::bfloat16)).dtype() == f4);
}

DEVICE_TEST_CASE("Axis 0 and -1 of a 0-d array are taken where NumPy takes them") {
  const Array x = full({}, 3.0, f8);
  const Array ids = array({0, 0}, i8);
  for (const std::int64_t axis : {0, -1}) {
    check_equal(sum(x, {axis}), f8, {}, {3});
    check_equal(sum(x, {axis}, true), f8, {}, {3});
    check_equal(prod(x, {axis}), f8, {}, {3});
    check_equal(max(x, {axis}), f8, {}, {3});
    check_equal(min(x, {axis}), f8, {}, {3});
    check_equal(any(x, {axis}), b1, {}, {1});
    check_equal(all(x, {axis}), b1, {}, {1});
    check_equal(count_nonzero(x, {axis}), i8, {}, {1});
    check_equal(argmax(x, axis), i8, {}, {0});
    check_equal(argmin(x, axis, true), i8, {}, {0});
    check_equal(cumsum(x, axis), f8, {1}, {3});
    check_equal(cumprod(x, axis), f8, {1}, {3});
    check_equal(take(x, ids, axis), f8, {2}, {3, 3});
    check_equal(argsort(x, axis), i8, {1}, {0});
    check_equal(repeat(x, 2, axis), f8, {2}, {3, 3});
  }
  const std::vector<std::function<void(std::int64_t)>> calls = {
      [&](std::int64_t axis) { sum(x, {axis}); },     [&](std::int64_t axis) { max(x, {axis}); },
      [&](std::int64_t axis) { argmax(x, axis); },    [&](std::int64_t axis) { cumsum(x, axis); },
      [&](std::int64_t axis) { take(x, ids, axis); }, [&](std::int64_t axis) { argsort(x, axis); },
      [&](std::int64_t axis) { repeat(x, 2, axis); }};
  for (const auto& call : calls) {
    CHECK_THROWS_AS(call(1), ShapeError);
    CHECK_THROWS_AS(call(-2), ShapeError);
  }
  CHECK_THROWS_AS(sum(x, {0, 0}), ShapeError);
  CHECK_THROWS_AS(sort(x, 0), ShapeError);
}

DEVICE_TEST_CASE("Deviations and norms of float32 hold what its squares do not") {
  for (const double size : {1e-30, 1e20}) {
    const Array x = array({size, -size, size, -size}, f4);
    CHECK(gaia::std(x).item() == Approx(size));
    CHECK(norm(x).item() == Approx(2.0 * size));
    CHECK(norm(x, {}, false, 4.0).item() == Approx(std::sqrt(2.0) * size));
    const MeanAndVariance of = mean_and_variance(x);
    CHECK(of.mean.item() == 0.0);
    CHECK(of.variance.item() == Approx(size * size));
    CHECK(of.variance.dtype() == f8);
  }
}

DEVICE_TEST_CASE("Running totals of integers, which are made of four at a time, of every length") {
  for (std::int64_t n = 1; n <= 14; ++n) {
    std::vector<double> sums;
    std::vector<double> products;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto number = static_cast<double>(i - 3);
      sums.push_back(number + (i > 0 ? sums.back() : 0.0));
      products.push_back((number + 5) * (i > 0 ? products.back() : 1.0));
    }
    check_equal(cumsum(arange(-3, n - 3, 1, i8)), i8, {n}, sums);
    check_equal(cumprod(arange(2, n + 2, 1, i8)), i8, {n}, products);
  }
  // They wrap around: eight times 2^61 is 0.
  CHECK(cumsum(full({9}, 0x1p61, i8)).item({7}) == 0);
  CHECK(cumsum(full({9}, 0x1p61, i8)).item({8}) == 0x1p61);
}

DEVICE_TEST_CASE("Reductions of nothing") {
  const Array none = zeros({0});
  CHECK(prod(none).item() == 1);
  CHECK(std::isnan(var(none).item()));
  CHECK(std::isnan(gaia::std(none).item()));
  CHECK(norm(none).item() == 0);
  CHECK(norm(none, {}, false, 1).item() == 0);
  CHECK(logsumexp(none).item() == -kInfinity);
  CHECK(any(none).item() == 0);
  CHECK(all(none).item() == 1);
  CHECK(count_nonzero(none).item() == 0);
  CHECK(cumsum(none).shape() == Shape{0});
  check_equal(prod(zeros({2, 0}), {1}), f4, {2}, {1, 1});
  CHECK(argmax(zeros({0, 3}), 1).shape() == Shape{0});
  CHECK(var(zeros({0, 3}), {1}).shape() == Shape{0});
  CHECK_THROWS_WITH(argmax(zeros({0})), "[argmax] axis 0 of shape [0] is empty");
  CHECK_THROWS_AS(argmin(zeros({2, 0}), 1), ShapeError);
  CHECK_THROWS_AS(norm(zeros({0}), {}, false, kInfinity), ShapeError);
  CHECK_THROWS_AS(cumsum(zeros({2}), 1), ShapeError);
}

DEVICE_TEST_CASE("The first extreme of long rows is found wherever it lies") {
  for (const DType dtype : {f4, f8}) {
    for (const std::int64_t n : {31, 32, 33, 1023, 1024, 1025, 3000}) {
      const Array x = zeros({3, n}, dtype);
      for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 2, n - 1}) {
        INFO(n << " numbers, " << at);
        for (const double value : {2.0, kInfinity, kNaN}) {
          x.fill(-1.0);
          x.slice(0, 1, 2).slice(1, at, {}).fill(value);  // and ties behind it
          CHECK(argmax(x, 1).to_vector<std::int64_t>() == std::vector<std::int64_t>{0, at, 0});
          CHECK(argmax(x[1]).item() == static_cast<double>(at));
        }
        for (const double value : {-2.0, -kInfinity, kNaN}) {
          x.fill(-1.0);
          x.slice(0, 1, 2).slice(1, at, {}).fill(value);
          CHECK(argmin(x, 1).to_vector<std::int64_t>() == std::vector<std::int64_t>{0, at, 0});
          CHECK(argmin(x[1]).item() == static_cast<double>(at));
        }
      }
      // A NaN comes before whatever is larger.
      x.fill(1.0);
      x.slice(1, n - 1, {}).fill(kInfinity);
      x.slice(1, n / 2, n / 2 + 1).fill(kNaN);
      CHECK(argmax(x, 1).to_vector<std::int64_t>() == std::vector<std::int64_t>(3, n / 2));
    }
  }
}

DEVICE_TEST_CASE("NaN and infinities in reductions") {
  const Array x = array({1, kNaN, 3, kNaN});
  CHECK(std::isnan(max(x).item()));
  CHECK(std::isnan(min(x).item()));
  CHECK(argmax(x).item() == 1);
  CHECK(argmin(x).item() == 1);
  CHECK(std::isnan(prod(x).item()));
  CHECK(std::isnan(var(x).item()));
  CHECK(std::isnan(norm(x).item()));
  CHECK(std::isnan(norm(x, {}, false, kInfinity).item()));
  CHECK(std::isnan(logsumexp(x).item()));
  CHECK(any(x).item() == 1);
  CHECK(all(x).item() == 1);
  CHECK(count_nonzero(x).item() == 4);
  CHECK(std::isnan(var(array({1, kInfinity})).item()));
  CHECK(logsumexp(array({1, kInfinity})).item() == kInfinity);
  CHECK(logsumexp(array({-kInfinity, -kInfinity})).item() == -kInfinity);
  CHECK(logsumexp(array({-kInfinity, 2})).item() == 2);
  CHECK(logsumexp(array({1000, 1000}, f8)).item() == Approx(1000 + std::log(2.0)));
  CHECK(argmax(array({-kInfinity, -kInfinity})).item() == 0);
  CHECK(argmax(array({0.0, -0.0})).item() == 0);
  CHECK(argmin(array({0.0, -0.0})).item() == 0);
  // Too few for the divisor.
  CHECK(std::isnan(var(array({2}), {}, 1).item()));
  CHECK(var(array({2, 4}), {}, 2).item() == kInfinity);
}

DEVICE_TEST_CASE("Sums and what is made of them keep their digits") {
  // Far from zero beside their spread.
  const Array far = array({1e6, 1e6 + 1, 1e6 + 2});
  CHECK(var(far).item() == Approx(2.0 / 3).epsilon(1e-6));
  const Array farther = array({1e9, 1e9 + 1, 1e9 + 2}, f8);
  CHECK(var(farther).item() == Approx(2.0 / 3).epsilon(1e-12));
  // Squares that float32 does not hold.
  CHECK(norm(array({3e30, 4e30})).item() == Approx(5e30));
  CHECK(gaia::std(array({-1e30, 1e30})).item() == Approx(1e30));
  // 0.1 is not a float32, and in float32 a million of them add up to 100 958.
  const Array many = full({1'000'000}, 0.1);
  CHECK(sum(many).item() == Approx(static_cast<double>(0.1f) * 1e6).epsilon(1e-7));
  CHECK(cumsum(many).item({999'999}) == Approx(static_cast<double>(0.1f) * 1e6).epsilon(1e-7));
  CHECK(mean(full({1000}, 0x1p62, i8)).item() == 0x1p62);
}

DEVICE_TEST_CASE("norm of any order") {
  const Array x = array({{3, -4}, {0, 12}});
  CHECK(norm(x).item() == 13);
  check_equal(norm(x, {1}), f4, {2}, {5, 12});
  check_equal(norm(x, {1}, true, 1), f4, {2, 1}, {7, 12});
  check_equal(norm(x, {1}, false, kInfinity), f4, {2}, {4, 12});
  check_equal(norm(x, {1}, false, -kInfinity), f4, {2}, {3, 0});
  check_equal(norm(x, {1}, false, 0), f4, {2}, {2, 1});
  CHECK(norm(array({1, 2, 2}, f8), {}, false, 3).item() == Approx(std::cbrt(17.0)));
  CHECK(norm(array({1, 4}, f8), {}, false, 0.5).item() == Approx(9));
  CHECK(norm(arange(3)).dtype() == f8);
}

}  // namespace
}  // namespace gaia::test
