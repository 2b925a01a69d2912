// SPDX-License-Identifier: MIT
#include "../../src/core/finite.h"

#include <limits>
#include <vector>

#include "../support/catch.h"
#include "../support/special_numbers.h"

namespace gaia {
namespace {

TEST_CASE("are_finite finds an infinity or NaN at any place of any number of numbers") {
  CHECK(are_finite({}));
  for (std::size_t count = 1; count < 20; ++count) {
    std::vector<double> numbers(count, std::numeric_limits<double>::max());
    CHECK(are_finite(numbers));
    for (std::size_t at = 0; at < count; ++at) {
      for (const double other : {test::kNaN, test::kInfinity, -test::kInfinity}) {
        numbers[at] = other;
        CHECK(!are_finite(numbers));
      }
      numbers[at] = -std::numeric_limits<double>::max();
    }
  }
}

}  // namespace
}  // namespace gaia
