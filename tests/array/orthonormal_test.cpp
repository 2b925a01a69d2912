// SPDX-License-Identifier: MIT
#include "../../src/array/orthonormal.h"

#include <cmath>

#include "../support/catch.h"

namespace gaia {
namespace {

TEST_CASE("random_orthonormal vectors have length 1 and right angles") {
  for (const auto& [length, count] : {std::pair{1, 1}, {7, 7}, {12, 5}, {200, 120}}) {
    const std::vector<double> vectors =
        random_orthonormal(count, length, RandomStream::named(3, "test")).to_vector<double>();
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
    positive += random_orthonormal(1, 1, RandomStream::named(seed, "test")).item() > 0.0;
  }
  CHECK(std::abs(positive - 500) < 80);
}

TEST_CASE("random_orthonormal refuses more vectors than fit") {
  CHECK_THROWS_AS(random_orthonormal(3, 2, RandomStream::named(1, "test")), ShapeError);
  CHECK(random_orthonormal(0, 2, RandomStream::named(1, "test")).shape() == Shape{0, 2});
}

}  // namespace
}  // namespace gaia
