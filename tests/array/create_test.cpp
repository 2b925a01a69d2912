// SPDX-License-Identifier: MIT
#include "../../src/array/create.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("zeros, ones, full and eye hold what their names say") {
  check_equal(zeros({2, 2}), f4, {2, 2}, {0, 0, 0, 0});
  check_equal(ones({3}, i8), i8, {3}, {1, 1, 1});
  check_equal(full({2}, -2.5, f8), f8, {2}, {-2.5, -2.5});
  check_equal(full({}, 1.0, DType::boolean), DType::boolean, {}, {1});
  check_equal(full({1}, kInfinity), f4, {1}, {kInfinity});
  CHECK(std::isnan(full({1}, std::nan("")).item()));
  check_equal(zeros_like(ones({1, 2}, i4)), i4, {1, 2}, {0, 0});
  check_equal(ones_like(zeros({2}, f8)), f8, {2}, {1, 1});
  CHECK(zeros({0, 4}).shape() == Shape{0, 4});
  CHECK(zeros({2}).device() == current_device());

  check_equal(eye(2), f4, {2, 2}, {1, 0, 0, 1});
  check_equal(eye(2, 3, i4), i4, {2, 3}, {1, 0, 0, 0, 1, 0});
  check_equal(eye(3, 2), f4, {3, 2}, {1, 0, 0, 1, 0, 0});
  check_equal(eye(1), f4, {1, 1}, {1});
  CHECK(eye(0).shape() == Shape{0, 0});
}

DEVICE_TEST_CASE("arange counts from start to before stop") {
  check_equal(arange(0.0, 4.0), f4, {4}, {0, 1, 2, 3});
  check_equal(arange(1.0, 2.0, 0.25, f8), f8, {4}, {1, 1.25, 1.5, 1.75});
  check_equal(arange(3.0, 0.0, -1.0, i4), i4, {3}, {3, 2, 1});
  check_equal(arange(0.0, 1.0, 0.1, f8), f8, {10},
              {0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5, 0.6000000000000001, 0.7000000000000001,
               0.8, 0.9});  // NumPy's
  CHECK(arange(2.0, 1.0).size() == 0);
  CHECK(arange(1.0, 1.0).size() == 0);
  check_equal(arange(0.0, 1.0, 100.0), f4, {1}, {0});
  check_equal(arange(4), i8, {4}, {0, 1, 2, 3});
  CHECK(arange(0).shape() == Shape{0});
  CHECK(arange(-3).shape() == Shape{0});
  CHECK(arange(5).device() == current_device());
  CHECK(arange(5).dtype() == i8);
}

TEST_CASE("arange refuses steps of 0 and numbers that are not finite, and says what came") {
  CHECK_THROWS_AS(arange(0.0, 1.0, 0.0), ArgumentError);
  CHECK_THROWS_WITH(arange(0.0, 1.0, 0.0),
                    "[arange] expected finite numbers and a step other than "
                    "0, got 0 to 1 in steps of 0");
  CHECK_THROWS_AS(arange(0.0, kInfinity), ArgumentError);
  CHECK_THROWS_AS(arange(std::nan(""), 1.0), ArgumentError);
  CHECK_THROWS_AS(arange(0.0, 1.0, std::nan("")), ArgumentError);
  CHECK_THROWS_AS(arange(0.0, 1e300, 1e-300), ShapeError);
  CHECK_THROWS_AS(arange(-1e308, 1e308), ShapeError);
}

DEVICE_TEST_CASE("linspace includes both ends") {
  check_equal(linspace(0, 1, 5), f4, {5}, {0, 0.25, 0.5, 0.75, 1});
  check_equal(linspace(2, -1, 4, f8), f8, {4}, {2, 1, 0, -1});
  check_equal(linspace(3, 9, 1, f8), f8, {1}, {3});
  check_equal(linspace(0, 9, 4, i4), i4, {4}, {0, 3, 6, 9});
  check_equal(linspace(-1, 1, 4, i4), i4, {4}, {-1, -1, 0, 1});  // floors, as NumPy
  check_equal(linspace(-2.5, 0.5, 3, DType::int64), DType::int64, {3}, {-3, -1, 0});
  CHECK(linspace(0, 1, 0).size() == 0);
  const Array sevenths = linspace(0, 0.9, 8, f8);
  CHECK(sevenths.item({7}) == 0.9);  // and not 7 * (0.9 / 7)
  CHECK(sevenths.device() == current_device());
  CHECK_THROWS_WITH(linspace(0, 1, -1), "[linspace] count must be at least 0, got -1");
}

DEVICE_TEST_CASE("from_values copies host values of every dtype's type") {
  check_equal(from_values(std::vector<float>{1, 2}, {2}), f4, {2}, {1, 2});
  check_equal(from_values(std::vector<double>{1, 2, 3, 4}, {2, 2}), f8, {2, 2}, {1, 2, 3, 4});
  check_equal(from_values(std::vector<std::int32_t>{-1}, {}), i4, {}, {-1});
  check_equal(from_values(std::vector<std::int64_t>{5}, {1, 1}), i8, {1, 1}, {5});
  const bool flags[] = {true, false};
  check_equal(from_values(std::span<const bool>(flags), {2}), DType::boolean, {2}, {1, 0});
  const bfloat16 halves[] = {bfloat16(0.5f)};
  check_equal(from_values(std::span<const bfloat16>(halves), {1}), DType::bfloat16, {1}, {0.5});
  CHECK(from_values(std::vector<float>{}, {0, 3}).shape() == Shape{0, 3});
  std::vector<double> mine = {1.0};
  const Array copy = from_values(mine, {1});
  mine[0] = 2.0;
  CHECK(copy.item() == 1.0);
  CHECK_THROWS_WITH(from_values(std::vector<float>{1, 2, 3}, {2, 2}),
                    "[from_values] 3 values do not fill shape [2, 2]");
  CHECK_THROWS_AS(from_values(std::vector<float>{}, {}), ShapeError);
  CHECK_THROWS_AS(from_values(std::vector<float>{1}, {-1}), ShapeError);
}

TEST_CASE("array writes numbers out") {
  check_equal(array({1, 2.5}), f4, {2}, {1, 2.5});
  check_equal(array({{1, 2}, {3, 4}, {5, 6}}, i4), i4, {3, 2}, {1, 2, 3, 4, 5, 6});
  check_equal(array({{1, 2, 3}}), f4, {1, 3}, {1, 2, 3});
  check_equal(array({{1}, {2}}), f4, {2, 1}, {1, 2});
  check_equal(array({{1.5}, {2.5}}, f8), f8, {2, 1}, {1.5, 2.5});
  const int three = 3;
  check_equal(array({three, true, 2.5f}), f4, {3}, {3, 1, 2.5});
  CHECK_THROWS_WITH(array({{1, 2}, {3}}),
                    "[array] expected items of one shape in a list, got [2] and [1]");
}

TEST_CASE("New arrays refuse absurd shapes with an error of ours") {
  const std::int64_t huge = std::int64_t(1) << 59;
  for (const Shape& bad : {Shape{-1}, Shape{huge, huge}, Shape{3, -2}}) {
    CHECK_THROWS_AS(zeros(bad), ShapeError);
    CHECK_THROWS_AS(random_uniform(bad), ShapeError);
  }
  CHECK_THROWS_AS(zeros({huge}, f8), OutOfMemory);
  CHECK_THROWS_AS(eye(std::int64_t(1) << 29), OutOfMemory);
  CHECK_THROWS_AS(arange(huge), OutOfMemory);
  CHECK_THROWS_AS(arange(0.0, 1e15), OutOfMemory);
  CHECK_THROWS_AS(linspace(0, 1, huge), OutOfMemory);
  CHECK_THROWS_AS(random_normal({huge}), OutOfMemory);
}

DEVICE_TEST_CASE("random_uniform stays in its range and random_normal has its moments") {
  for (const DType dtype : {f4, f8}) {
    const auto u = random_uniform({20000}, -2.0, 3.0, dtype, {1, 1}).to_vector<double>();
    CHECK(*std::min_element(u.begin(), u.end()) >= -2.0);
    CHECK(*std::max_element(u.begin(), u.end()) < 3.0);
    CHECK(*std::min_element(u.begin(), u.end()) < -1.99);
    CHECK(*std::max_element(u.begin(), u.end()) > 2.99);
    const auto n = random_normal({100, 200}, 5.0, 0.5, dtype, {1, 2}).to_vector<double>();
    double mean = 0;
    for (const double x : n) mean += x / 20000;
    CHECK(mean == Approx(5.0).margin(5 * 0.5 / std::sqrt(20000.0)));
    CHECK(random_normal({3}, 2.0, 0.0, dtype, {1, 3}).to_vector<double>() ==
          std::vector<double>(3, 2.0));
    CHECK(random_uniform({3}, 2.0, 2.0, dtype, {1, 3}).to_vector<double>() ==
          std::vector<double>(3, 2.0));
  }
}

TEST_CASE("random arrays without a stream take a new one each time, the same after set_seed") {
  set_seed(3);
  const auto a = random_normal({8}).to_vector<float>();
  const auto b = random_normal({8}).to_vector<float>();
  CHECK(a != b);
  set_seed(3);
  CHECK(random_normal({8}).to_vector<float>() == a);
  CHECK(random_normal({8}).to_vector<float>() == b);
  set_seed(4);
  CHECK(random_normal({8}).to_vector<float>() != a);
  set_seed(0);
}

TEST_CASE("random arrays refuse other dtypes and parameters that make no sense") {
  CHECK_THROWS_AS(random_uniform({2}, 0, 1, i4), DTypeError);
  CHECK_THROWS_WITH(random_uniform({2}, 0, 1, i4),
                    "[random_uniform] expected float32 or float64, got int32");
  CHECK_THROWS_WITH(random_normal({2}, 0, 1, DType::bfloat16),
                    "[random_normal] expected float32 or float64, got bfloat16");
  CHECK_THROWS_WITH(random_normal({2}, 0, -1),
                    "[random_normal] expected a finite mean and a finite deviation of at least 0, "
                    "got mean = 0 and deviation = -1");
  CHECK_THROWS_AS(random_normal({2}, kInfinity, 1), ArgumentError);
  CHECK_THROWS_AS(random_normal({2}, 0, std::nan("")), ArgumentError);
  CHECK_THROWS_AS(random_uniform({2}, 0, kInfinity), ArgumentError);
  CHECK_THROWS_AS(random_uniform({2}, std::nan(""), 1), ArgumentError);
  CHECK_THROWS_AS(random_uniform({2}, -3e38, 3e38, f4), ArgumentError);  // no float32 is that wide
  CHECK(random_uniform({2}, -3e38, 3e38, f8).size() == 2);
}

DEVICE_TEST_CASE("arange of integers is int64 and exact, and counts with any step") {
  check_equal(arange(2, 5), DType::int64, {3}, {2, 3, 4});
  check_equal(arange(5, 0, -2), DType::int64, {3}, {5, 3, 1});
  check_equal(arange(0, 5, 2, f4), f4, {3}, {0, 2, 4});
  check_equal(arange(2.5), f4, {3}, {0, 1, 2});
  check_equal(arange(0, 1, 0.5), f4, {2}, {0, 0.5});
  const std::int64_t large = (std::int64_t(1) << 62) + 1;
  CHECK(arange(large, large + 2).to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{large, large + 1});
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  CHECK(arange(least, most, most).to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{least, -1, most - 1});
  CHECK_THROWS_AS(arange(least, most), ShapeError);
  CHECK(arange(5, 5).size() == 0);
  CHECK(arange(5, 2).size() == 0);
  CHECK_THROWS_AS(arange(0, 5, 0), ArgumentError);
}

DEVICE_TEST_CASE("linspace without its end, and powers of it") {
  check_equal(linspace(0, 1, 4, f8, false), f8, {4}, {0, 0.25, 0.5, 0.75});
  check_equal(linspace(2, 3, 1, f8, false), f8, {1}, {2});
  check_equal(logspace(0, 3, 4), f4, {4}, {1, 10, 100, 1000});
  check_equal(logspace(0, 3, 4, 2.0, DType::int64), DType::int64, {4}, {1, 2, 4, 8});
}

DEVICE_TEST_CASE("New arrays like another") {
  const Array x = zeros({2, 3}, DType::int32);
  check_equal(full_like(x, 7.5), DType::int32, {2, 3}, {7, 7, 7, 7, 7, 7});
  CHECK(empty_like(x).shape() == x.shape());
  CHECK(empty_like(x).dtype() == DType::int32);
  CHECK(empty({4}, f8).dtype() == f8);
  x.fill(0);
}

TEST_CASE("array takes numbers in as many braces as there are axes") {
  on_each_device([] {
    check_equal(array(5), f4, {}, {5});
    check_equal(array({}), f4, {0}, {});
    check_equal(array({{}, {}}), f4, {2, 0}, {});
    check_equal(array({{1}}), f4, {1, 1}, {1});
    check_equal(array({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, f8), f8, {2, 2, 2},
                {1, 2, 3, 4, 5, 6, 7, 8});
    check_equal(array({{{1}, {2}}}), f4, {1, 2, 1}, {1, 2});
    check_equal(array({true, false}, DType::boolean), DType::boolean, {2}, {1, 0});
    const std::int64_t large = (std::int64_t(1) << 62) + 1;
    CHECK(array({large}, DType::int64).to_vector<std::int64_t>().front() == large);
    check_equal(array({1.75, -1.75}, DType::int32), DType::int32, {2}, {1, -1});
  });
  CHECK_THROWS_AS(array({1, {2}}), ShapeError);
  CHECK_THROWS_WITH(array({1LL, 3000000000LL}, DType::int32),
                    "[array] expected numbers that fit into int32, got 3000000000; ask for "
                    "DType::int64 instead");
  CHECK_THROWS_AS(array({0.5, -3000000000LL}, DType::int32), ArgumentError);
  CHECK(array({-2147483648LL, 2147483647LL}, DType::int32).to_vector<std::int32_t>() ==
        std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::min(),
                                  std::numeric_limits<std::int32_t>::max()});
  CHECK_THROWS_AS(array({{{1}}, {{1, 2}}}), ShapeError);
}

TEST_CASE("Triangles and diagonals") {
  on_each_device([] {
    const Array x = arange(1, 7).reshape({2, 3});
    check_equal(tril(x), DType::int64, {2, 3}, {1, 0, 0, 4, 5, 0});
    check_equal(tril(x, 1), DType::int64, {2, 3}, {1, 2, 0, 4, 5, 6});
    check_equal(triu(x), DType::int64, {2, 3}, {1, 2, 3, 0, 5, 6});
    check_equal(triu(x, -1), DType::int64, {2, 3}, {1, 2, 3, 4, 5, 6});
    check_equal(triu(full({2, 2, 2}, std::nan("")), 5), f4, {2, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0});
    CHECK(tril(ones({2, 2}, DType::bfloat16)).dtype() == DType::bfloat16);
    CHECK(tril(zeros({0, 3})).shape() == Shape{0, 3});
    check_equal(diag(array({1, 2})), f4, {2, 2}, {1, 0, 0, 2});
    check_equal(diag(array({1}), -1), f4, {2, 2}, {0, 0, 1, 0});
    check_equal(diag(x, 1), DType::int64, {2}, {2, 6});
    CHECK(diag(x, 9).shape() == Shape{0});
  });
  on_each_device([] {
    for (const auto& [rows, columns] : {Pair{40, 33}, Pair{17, 70}, Pair{1, 9}, Pair{9, 1}}) {
      const Array numbers = arange(1, 2 * rows * columns + 1);
      const Array x = numbers.reshape({2, columns, rows}).transpose({0, 2, 1});
      const std::vector<double> values = x.to_vector<double>();
      constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
      for (const std::int64_t k :
           {std::int64_t{0}, std::int64_t{5}, std::int64_t{-20}, huge, -huge}) {
        std::vector<double> lower = values;
        std::vector<double> upper = values;
        for (std::int64_t i = 0; i < 2 * rows * columns; ++i) {
          const std::int64_t distance = i % columns - i / columns % rows;
          if (distance > k) lower[static_cast<std::size_t>(i)] = 0.0;
          if (distance < k) upper[static_cast<std::size_t>(i)] = 0.0;
        }
        INFO(rows << " " << columns << " " << k);
        CHECK(tril(x, k).to_vector<double>() == lower);
        CHECK(triu(x, k).to_vector<double>() == upper);
      }
    }
  });
  CHECK_THROWS_AS(tril(ones({3})), ShapeError);
  CHECK_THROWS_AS(diag(ones({})), ShapeError);
}

}  // namespace
}  // namespace gaia::test
