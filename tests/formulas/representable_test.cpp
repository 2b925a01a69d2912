// SPDX-License-Identifier: MIT
#include "../../src/formulas/representable.h"

#include <cmath>
#include <limits>

#include "../support/catch.h"

namespace gaia::test {

TEST_CASE("A number that a dtype rounds to 0 or to infinity is no parameter of it") {
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    for (const double value : {1e-50, -1e-50, 7e-46, 1e39, -1e39, 3.4028236e38}) {
      INFO(value);
      CHECK_FALSE(why_not_representable(value, dtype).empty());
    }
    for (const double value : {0.0, 1e-45, -1e-40, 0.1, 1.0, 3.4028235e38, -3.4028235e38}) {
      INFO(value);
      CHECK(why_not_representable(value, dtype).empty());
    }
  }
  for (const DType dtype : {DType::float64, DType::int32, DType::int64, DType::boolean}) {
    for (const double value : {1e-50, 5e-324, 1e39, 1.7e308}) {
      CHECK(why_not_representable(value, dtype).empty());
    }
  }
}

TEST_CASE("NaN and infinities are left to the ranges of parameters") {
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
    CHECK(why_not_representable(value, DType::float32).empty());
  }
}

TEST_CASE("A parameter that cannot be held is refused with its dtype and a way out") {
  CHECK_THROWS_WITH_TEXT(check_representable("[clip] low", 1e-50, DType::float32), ArgumentError,
                         "[clip] low: expected a number that float32 can hold");
  CHECK_THROWS_WITH_TEXT(check_representable("[clip] low", 1e-50, DType::float32), ArgumentError,
                         "got 1e-50, which it rounds to 0; float64 holds it");
  CHECK_THROWS_WITH_TEXT(check_representable("[clip] high", 1e39, DType::float32), ArgumentError,
                         "got 1e+39, which it rounds to infinity");
  check_representable("[clip] low", 1e-50, DType::float64);
}

}  // namespace gaia::test
