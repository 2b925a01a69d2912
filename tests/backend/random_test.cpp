// SPDX-License-Identifier: MIT
/// \file
/// random of every backend: the same numbers everywhere, wherever a fill begins.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../../src/array/backend.h"
#include "../../src/array/create.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/statistics.h"

namespace gaia::test {
namespace {

/// `count` numbers from number `first` of a stream.
template <class T>
std::vector<T> draw(Distribution distribution, std::uint64_t first, std::int64_t count,
                    double a = 0.0, double b = 1.0, RandomStream stream = {42, 7}) {
  const Array y = Array::uninitialized({count}, dtype_of<T>());
  backend(current_device())
      .random({.stream = stream, .first = first, .distribution = distribution, .a = a, .b = b},
              y.view());
  return y.to_vector<T>();
}

DEVICE_TEST_CASE("Numbers of a stream are the same on every device, bit for bit") {
  // From a program in another language that follows the definition.
  CHECK(fingerprint(draw<float>(Distribution::uniform, 0, 10000)) == 0x96de9702fa95d18d);
  CHECK(fingerprint(draw<float>(Distribution::normal, 0, 10000)) == 0xaad809784f5a36d3);
  CHECK(fingerprint(draw<double>(Distribution::uniform, 0, 10000)) == 0x3122fe79dd11c082);
  CHECK(fingerprint(draw<double>(Distribution::normal, 0, 10000)) == 0xbdf72ec420091030);
  CHECK(draw<float>(Distribution::normal, 0, 2) ==
        std::vector<float>{0x1.10adbap+0f, -0x1.a2929cp-1f});
}

TEMPLATE_TEST_CASE("Number i does not depend on where a fill begins or ends", "", float, double) {
  on_each_device([] {
    for (const Distribution kind : {Distribution::uniform, Distribution::normal}) {
      const auto all = draw<TestType>(kind, 0, 70000);
      for (const std::uint64_t first :
           {0u, 1u, 2u, 3u, 4u, 5u, 7u, 32767u, 32768u, 32769u, 65535u}) {
        for (const std::int64_t count : {0, 1, 2, 3, 5, 4001}) {
          const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
          CHECK(draw<TestType>(kind, first, count) == std::vector<TestType>(begin, begin + count));
        }
      }
      // Odd beginnings that make every task begin inside a block.
      const auto tail = draw<TestType>(kind, 3, 69997);
      CHECK(tail == std::vector<TestType>(all.begin() + 3, all.end()));
    }
  });
}

DEVICE_TEST_CASE("In float64 an array holds the numbers of its stream") {
  const RandomStream stream = RandomStream::named(5, "levels/0/layers/0/weights");
  for (const std::int64_t size : {1, 2, 5, 1000, 40001}) {
    std::vector<double> numbers(static_cast<std::size_t>(size));
    stream.normals(0, numbers);
    CHECK(random_normal({size}, 0, 1, DType::float64, stream).to_vector<double>() == numbers);
    stream.uniforms(0, numbers);
    CHECK(random_uniform({size}, 0, 1, DType::float64, stream).to_vector<double>() == numbers);
    stream.uniforms(3, numbers);
    CHECK(draw<double>(Distribution::uniform, 3, size, 0, 1, stream) == numbers);
  }
}

TEST_CASE("Shape does not matter, only the place in row-major order") {
  const RandomStream stream{1, 2};
  CHECK(random_normal({6, 7}, 0, 1, DType::float32, stream).to_vector<float>() ==
        random_normal({42}, 0, 1, DType::float32, stream).to_vector<float>());
}

TEMPLATE_TEST_CASE("Mean and deviation scale and shift the same numbers", "", float, double) {
  on_each_device([] {
    const auto plain = draw<TestType>(Distribution::normal, 0, 100);
    const auto scaled = draw<TestType>(Distribution::normal, 0, 100, 3.0, 0.5);
    const auto wide = draw<TestType>(Distribution::uniform, 0, 100, -2.0, 6.0);
    const auto unit = draw<TestType>(Distribution::uniform, 0, 100);
    for (std::size_t i = 0; i < 100; ++i) {
      CHECK(scaled[i] == TestType(3) + TestType(0.5) * plain[i]);
      CHECK(wide[i] == TestType(-2) + TestType(8) * unit[i]);
    }
  });
}

TEMPLATE_TEST_CASE("A uniform number never reaches the end of its range", "", float, double) {
  on_each_device([] {
    // Ranges a few units in the last place wide, where rounding up is common.
    for (const double low : {1.0, 1000.0, -1001.0}) {
      const double high = low + 16 * 1000 * std::numeric_limits<TestType>::epsilon();
      const auto numbers = draw<TestType>(Distribution::uniform, 0, 20000, low, high);
      CHECK(*std::min_element(numbers.begin(), numbers.end()) >= static_cast<TestType>(low));
      CHECK(*std::max_element(numbers.begin(), numbers.end()) < static_cast<TestType>(high));
    }
    const auto wide = draw<TestType>(Distribution::uniform, 0, 300000, 1000.0, 1001.0);
    CHECK(*std::max_element(wide.begin(), wide.end()) < TestType(1001));
    const auto downwards = draw<TestType>(Distribution::uniform, 0, 1000, 1.0, -1.0);
    CHECK(*std::min_element(downwards.begin(), downwards.end()) > TestType(-1));
  });
}

TEMPLATE_TEST_CASE("Normal arrays follow the normal distribution", "", float, double) {
  on_each_device([] {
    const auto drawn = draw<TestType>(Distribution::normal, 0, 200000, 0, 1, {8, 9});
    const std::vector<double> numbers(drawn.begin(), drawn.end());
    CHECK(kolmogorov_smirnov(numbers, normal_cdf) < 1.95);
    const Moments moments(numbers);
    const double error = 5 / std::sqrt(200000.0);
    CHECK(std::abs(moments.mean) < error);
    CHECK(std::abs(moments.variance - 1) < error * std::sqrt(2.0));
    CHECK(std::abs(moments.skewness) < error * std::sqrt(6.0));
    CHECK(std::abs(moments.kurtosis - 3) < error * std::sqrt(24.0));
    // Neighbours, in and across pairs and blocks, are not correlated.
    for (const std::size_t lag : {1u, 2u, 3u, 4u}) {
      double product = 0;
      for (std::size_t i = 0; i + lag < numbers.size(); ++i)
        product += numbers[i] * numbers[i + lag];
      CHECK(std::abs(product) / 200000 < error);
    }
  });
}

TEMPLATE_TEST_CASE("Uniform arrays follow the uniform distribution", "", float, double) {
  on_each_device([] {
    const auto drawn = draw<TestType>(Distribution::uniform, 0, 200000, 0, 1, {8, 10});
    const std::vector<double> numbers(drawn.begin(), drawn.end());
    CHECK(kolmogorov_smirnov(numbers, [](double x) { return x; }) < 1.95);
  });
}

}  // namespace
}  // namespace gaia::test
