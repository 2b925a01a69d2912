// SPDX-License-Identifier: MIT
#include "../../src/array/random_arrays.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

constexpr RandomStream kStream{11, 3};

/// run() gives the same numbers on every device and for any number of threads.
template <class Run>
void check_same_everywhere(const Run& run) {
  const std::vector<double> expected = run().template to_vector<double>();
  on_each_device([&] {
    for (const int threads : {1, 2, 3}) {
      const Threads scope(threads);
      CHECK((run().template to_vector<double>() == expected));
    }
  });
}

TEST_CASE("Random arrays are the same on every device and for any number of threads") {
  check_same_everywhere([] { return randint(-5, 12, {300, 301}, DType::int64, kStream); });
  check_same_everywhere([] { return bernoulli({70001}, 0.3, DType::boolean, kStream); });
  check_same_everywhere([] { return permutation(70001, kStream); });
  check_same_everywhere([] { return shuffle(arange(1000).reshape({500, 2}), 0, kStream); });
}

TEST_CASE("fill_normals gives the numbers of RandomStream::normals") {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 100U, 70'001U}) {
    for (const std::uint64_t first : {0U, 1U, 12'345U}) {
      std::vector<double> expected(count);
      std::vector<double> got(count);
      kStream.normals(first, expected);
      fill_normals(kStream, first, got);
      CHECK((got == expected));
    }
  }
}

TEST_CASE("randint draws every integer of its range equally often") {
  on_each_device([] {
    const Array x = randint(-2, 4, {60000}, DType::int32, kStream);
    CHECK(x.dtype() == DType::int32);
    std::map<std::int32_t, int> counts;
    for (const std::int32_t number : x.to_vector<std::int32_t>()) ++counts[number];
    CHECK(counts.size() == 6);
    CHECK(counts.begin()->first == -2);
    CHECK(counts.rbegin()->first == 3);
    for (const auto& [number, count] : counts) CHECK(std::abs(count - 10000) < 5 * 92);
    CHECK(randint(7, 8, {3}, DType::int64, kStream).to_vector<std::int64_t>() ==
          std::vector<std::int64_t>{7, 7, 7});
    CHECK(randint(0, 5, {2, 0}).shape() == Shape{2, 0});
  });
  using Limits = std::numeric_limits<std::int64_t>;
  CHECK(randint(Limits::min(), Limits::max(), {4}).size() == 4);
  CHECK_THROWS_WITH(randint(3, 3, {1}), "[randint] expected low < high within int64, got 3 and 3");
  CHECK_THROWS_AS(randint(0, std::int64_t(1) << 40, {1}, DType::int32), ArgumentError);
  CHECK_THROWS_AS(randint(0, 2, {1}, DType::float32), DTypeError);
}

DEVICE_TEST_CASE("bernoulli holds with its probability") {
  const Array x = bernoulli({40000}, 0.2, DType::boolean, kStream);
  CHECK(x.dtype() == DType::boolean);
  CHECK(mean(x).item() == Approx(0.2).margin(5 * std::sqrt(0.16 / 40000)));
  CHECK(sum(bernoulli({1000}, 0.0)).item() == 0);
  CHECK(sum(bernoulli({1000}, 1.0)).item() == 1000);
  CHECK(bernoulli({2}, 0.5, DType::float32).dtype() == DType::float32);
  CHECK_THROWS_AS(bernoulli({1}, 1.5), ArgumentError);
  CHECK_THROWS_AS(bernoulli({1}, std::nan("")), ArgumentError);
}

TEST_CASE("A permutation holds every number once, in an order of its stream") {
  on_each_device([] {
    const Array x = permutation(1000, kStream);
    CHECK(x.dtype() == DType::int64);
    auto numbers = x.to_vector<std::int64_t>();
    CHECK_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
    CHECK(permutation(1000, {11, 4}).to_vector<std::int64_t>() != numbers);
    std::sort(numbers.begin(), numbers.end());
    CHECK(numbers == arange(1000).to_vector<std::int64_t>());
    CHECK(permutation(0).shape() == Shape{0});
  });
  // Each of the six orders of three comes equally often.
  std::map<std::vector<std::int64_t>, int> counts;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    ++counts[permutation(3, {5, i}).to_vector<std::int64_t>()];
  }
  CHECK(counts.size() == 6);
  for (const auto& [order, count] : counts) CHECK(std::abs(count - 1000) < 5 * 29);
  CHECK_THROWS_AS(permutation(-1), ShapeError);
}

DEVICE_TEST_CASE("shuffle moves whole sub-arrays") {
  const Array x = arange(20).reshape({10, 2});
  const Array order = permutation(10, kStream);
  const Array y = shuffle(x, 0, kStream);
  CHECK((y.slice(1, 0, 1).squeeze() == order * 2).to_vector<bool>() == std::vector<bool>(10, true));
  CHECK((y.slice(1, 1, 2) - y.slice(1, 0, 1)).to_vector<double>() == std::vector<double>(10, 1));
  CHECK(shuffle(x.transpose(), 1, kStream).to_vector<double>() ==
        y.transpose().to_vector<double>());
  CHECK_THROWS_AS(shuffle(ones({})), ShapeError);
}

}  // namespace
}  // namespace gaia::test
