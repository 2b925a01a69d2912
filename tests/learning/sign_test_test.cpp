// SPDX-License-Identifier: MIT
#include "../../src/learning/sign_test.h"

#include "../../src/core/error.h"
#include "../support/catch.h"

using namespace gaia;

// The expected numbers are fractions of 2^n, summed in Python's integers.
TEST_CASE("the sign test has the probabilities of a fair coin") {
  CHECK(sign_test(10, 0) == Approx(2.0 / 1024.0).epsilon(1e-12));
  CHECK(sign_test(0, 10) == Approx(2.0 / 1024.0).epsilon(1e-12));
  CHECK(sign_test(9, 1) == Approx(22.0 / 1024.0).epsilon(1e-12));
  CHECK(sign_test(2, 8) == Approx(112.0 / 1024.0).epsilon(1e-12));
  CHECK(sign_test(5, 0) == Approx(2.0 / 32.0).epsilon(1e-12));
  CHECK(sign_test(6, 0) == Approx(2.0 / 64.0).epsilon(1e-12));
  CHECK(sign_test(15, 5) == Approx(0.04138946533203125).epsilon(1e-12));
  CHECK(sign_test(5, 5) == 1.0);
  CHECK(sign_test(1, 0) == 1.0);
  CHECK(sign_test(0, 0) == 1.0);
}

TEST_CASE("of thousands of pairs the p-value is still a number") {
  CHECK(sign_test(3000, 0) == 0.0);  // 2^-2999
  CHECK(sign_test(1050, 950) == Approx(0.026824146240280695).epsilon(1e-9));
  CHECK_THROWS_AS(sign_test(-1, 3), ArgumentError);
}
