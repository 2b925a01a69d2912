// SPDX-License-Identifier: MIT
#include "../../src/core/checked.h"

#include <limits>

#include "../support/catch.h"

namespace gaia {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST_CASE("checked_multiply gives the product where it fits into 64 bits") {
  CHECK(checked_multiply(6, 7) == 42);
  CHECK(checked_multiply(-6, 7) == -42);
  CHECK(checked_multiply(kMost, 1) == kMost);
  CHECK(checked_multiply(kLeast, 1) == kLeast);
  CHECK(checked_multiply(std::int64_t(1) << 31, std::int64_t(1) << 31) == std::int64_t(1) << 62);
  CHECK(checked_multiply(kMost, 0) == 0);
}

TEST_CASE("checked_multiply gives nothing where the product does not fit") {
  CHECK_FALSE(checked_multiply(kMost, 2));
  CHECK_FALSE(checked_multiply(kLeast, -1));
  CHECK_FALSE(checked_multiply(std::int64_t(1) << 32, std::int64_t(1) << 31));
}

TEST_CASE("checked_add gives the sum where it fits and nothing elsewhere") {
  CHECK(checked_add(40, 2) == 42);
  CHECK(checked_add(kMost, kLeast) == -1);
  CHECK_FALSE(checked_add(kMost, 1));
  CHECK_FALSE(checked_add(kLeast, -1));
}

}  // namespace
}  // namespace gaia
