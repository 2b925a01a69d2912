// SPDX-License-Identifier: MIT
#include "../../src/io/orthonormal.h"

#include <cmath>

#include "../support/catch.h"

namespace gaia {
namespace {

TEST_CASE("random_orthonormal vectors have length 1 and right angles") {
  for (const auto& [length, count] : {std::pair{1, 1}, {7, 7}, {12, 5}, {200, 120}}) {
    const std::vector<double> vectors =
        random_orthonormal(length, count, RandomStream::named(3, "test"));
    const auto n = static_cast<std::size_t>(length);
    REQUIRE(vectors.size() == n * static_cast<std::size_t>(count));
    double largest = 0.0;
    for (std::size_t a = 0; a < vectors.size(); a += n) {
      for (std::size_t b = 0; b < vectors.size(); b += n) {
        double product = 0.0;
        for (std::size_t i = 0; i < n; ++i) product += vectors[a + i] * vectors[b + i];
        largest = std::max(largest, std::abs(product - (a == b ? 1.0 : 0.0)));
      }
    }
    CHECK(largest < 1e-13);
  }
}

TEST_CASE("random_orthonormal has no preferred sign") {
  int positive = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    positive += random_orthonormal(1, 1, RandomStream::named(seed, "test"))[0] > 0.0;
  }
  CHECK(std::abs(positive - 500) < 80);
}

TEST_CASE("combine adds up weighted vectors") {
  const std::vector<double> vectors = {1.0, 2.0, 3.0, -1.0, 0.5, 0.0};
  std::vector<double> x(3, 99.0);
  combine(vectors, std::vector<double>{2.0, -4.0}, x);
  CHECK(x == std::vector<double>{6.0, 2.0, 6.0});
}

}  // namespace
}  // namespace gaia
