// SPDX-License-Identifier: MIT
#include "../../benchmarks/cases.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "../support/catch.h"

using gaia::bench::relative_error;

TEST_CASE("An answer is as wrong as its worst number, beside the largest that was wanted") {
  CHECK(relative_error(std::vector<double>{1, 2, 4}, {1, 2, 4}) == 0.0);
  CHECK(relative_error(std::vector<double>{1, 3, 4}, {1, 2, -4}) == 2.0);
  CHECK(relative_error(std::vector<double>{}, {}) == 0.0);
}

TEST_CASE("An answer that is not finite or of another length is wrong beside any right one") {
  const std::vector<double> wanted = {1, 2};
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    const double error = relative_error({1, bad}, wanted);
    CHECK_FALSE(std::max(0.0, error) <= 1.0);
    CHECK_FALSE(std::max(error, 0.0) <= 1.0);
    CHECK_FALSE(std::max({0.0, error, 0.0}) <= 1.0);
  }
  CHECK_FALSE(relative_error({1}, wanted) <= 1.0);
  CHECK_FALSE(relative_error({1, 2}, {0, 0}) <= 1.0);
}
