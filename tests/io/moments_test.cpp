// SPDX-License-Identifier: MIT
#include "../../src/io/moments.h"

#include <cmath>
#include <functional>

#include "../support/catch.h"

namespace gaia {
namespace {

struct Expected {
  double mean;
  double deviation;
};

/// In more digits than a double has, in two passes over the distances from the last number, which
/// is one of many.
Expected expected_of(std::int64_t n, const std::function<double(std::int64_t)>& at) {
  const auto origin = static_cast<long double>(at(n - 1));
  long double sum = 0.0L;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<long double>(at(i)) - origin;
  const long double mean = sum / static_cast<long double>(n);
  long double squares = 0.0L;
  for (std::int64_t i = 0; i < n; ++i) {
    const long double d = static_cast<long double>(at(i)) - origin - mean;
    squares += d * d;
  }
  return {static_cast<double>(origin + mean),
          static_cast<double>(std::sqrt(squares / static_cast<long double>(n)))};
}

Moments moments_of(std::int64_t n, const std::function<double(std::int64_t)>& at) {
  Moments moments;
  for (std::int64_t i = 0; i < n; ++i) moments.add(at(i));
  return moments;
}

void check(std::int64_t n, const std::function<double(std::int64_t)>& at) {
  const Moments moments = moments_of(n, at);
  const Expected expected = expected_of(n, at);
  INFO(n << " numbers, the first " << at(0));
  CHECK(moments.count() == n);
  CHECK(moments.mean() == Approx(expected.mean).epsilon(1e-15));
  CHECK(moments.deviation() == Approx(expected.deviation).epsilon(1e-9));
  // The mean is nearer than the deviation can tell, which is what normalising by it needs.
  CHECK(std::abs(moments.mean() - expected.mean) <=
        1e-9 * expected.deviation + 1.2e-16 * std::abs(expected.mean));
}

TEST_CASE("moments are right where the mean is large beside the deviation") {
  constexpr std::int64_t n = 200000;
  check(n, [](std::int64_t k) { return 1e9 + 0.01 * static_cast<double>(k) / 200000.0; });
  check(n, [](std::int64_t k) { return 1e15 + static_cast<double>(k % 7); });
  check(n, [](std::int64_t k) { return -273.15 + 1e-9 * static_cast<double>(k % 1000); });
}

TEST_CASE("moments are right for a constant with one sample an ulp higher") {
  const double above = std::nextafter(0.1, 1.0);
  for (const std::int64_t n : {2, 10, 1000, 100000}) {
    check(n, [=](std::int64_t k) { return k == n / 2 ? above : 0.1; });
    check(n, [=](std::int64_t k) { return k == 0 ? above : 0.1; });
  }
}

TEST_CASE("moments are right where the first numbers are far from the others") {
  check(100000, [](std::int64_t k) { return k < 3 ? 1e9 : std::sin(static_cast<double>(k)); });
  check(100000, [](std::int64_t k) { return 1e-8 * static_cast<double>(k * k % 1013); });
  check(1, [](std::int64_t) { return 0.3; });
}

TEST_CASE("moments know the range, and of a constant the deviation is 0") {
  const Moments constant = moments_of(1000, [](std::int64_t) { return 0.1; });
  CHECK(constant.mean() == 0.1);
  CHECK(constant.deviation() == 0.0);
  const Moments wave =
      moments_of(1000, [](std::int64_t k) { return std::cos(static_cast<double>(k)); });
  CHECK(wave.least() < -0.999);
  CHECK(wave.most() == 1.0);
  CHECK(Moments().count() == 0);
  CHECK(Moments().mean() == 0.0);
  CHECK(Moments().deviation() == 0.0);
}

}  // namespace
}  // namespace gaia
