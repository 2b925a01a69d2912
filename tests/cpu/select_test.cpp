// SPDX-License-Identifier: MIT
/// \file
/// Rows chosen by a mask, beside one number after the other.
#include "../../cpu/vector/select.h"

#include "../support/catch.h"

using namespace gaia;

TEMPLATE_TEST_CASE("Rows of every type are chosen by a mask", "", bool, std::int32_t, std::int64_t,
                   float, double) {
  using T = TestType;
  constexpr std::int64_t most = 150;
  bool holds[most];
  T a[most];
  T b[most];
  for (std::int64_t i = 0; i < most; ++i) {
    holds[i] = i * i % 7 < 3;
    a[i] = static_cast<T>(i % 5 != 0 ? i : 0);
    b[i] = static_cast<T>(i % 3 != 0 ? 200 + i : 0);
  }
  for (const std::int64_t a_step : {0, 1}) {
    for (const std::int64_t b_step : {0, 1}) {
      for (std::int64_t n = 0; n < most - 1; ++n) {
        T y[most + 1];
        y[n] = T(1);
        GAIA_VECTOR_KERNEL(select_row<T>)(holds, a + 1, a_step, b + 1, b_step, y, n);
        bool right = y[n] == T(1);
        for (std::int64_t i = 0; i < n; ++i) {
          right = right && y[i] == (holds[i] ? a[1 + i * a_step] : b[1 + i * b_step]);
        }
        CHECK(right);
      }
    }
  }
}
