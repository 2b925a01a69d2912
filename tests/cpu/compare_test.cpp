// SPDX-License-Identifier: MIT
/// \file
/// Comparisons along runs, compared with one pair after the other.
#include "../../cpu/vector/compare.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/functions.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"

using namespace gaia;

TEMPLATE_TEST_CASE("Comparisons of every type along runs of every length", "", bool, std::int32_t,
                   std::int64_t, float, double) {
  using T = TestType;
  constexpr std::int64_t most = 150;
  T a[most];
  T b[most];
  for (std::int64_t i = 0; i < most; ++i) {
    a[i] = static_cast<T>(i % 5 - 2);
    b[i] = static_cast<T>(i % 3 - 1);
    if constexpr (std::is_floating_point_v<T>) {
      if (i % 7 == 0) a[i] = std::numeric_limits<T>::quiet_NaN();
      if (i % 11 == 0) b[i] = std::numeric_limits<T>::quiet_NaN();
      if (i % 13 == 0) b[i] = -T(0);
    } else if constexpr (!std::is_same_v<T, bool>) {
      if (i % 7 == 0) a[i] = std::numeric_limits<T>::min();
      if (i % 11 == 0) b[i] = std::numeric_limits<T>::max();
    }
  }
  const std::vector<Comparison> all = {Equal{},      NotEqual{},  Less{},      LessEqual{},
                                       LogicalAnd{}, LogicalOr{}, LogicalXor{}};
  for (const Comparison& f : all) {
    const bool of_truth = f.index() >= 4;
    for (const std::int64_t a_step : {0, 1}) {
      for (const std::int64_t b_step : {0, 1}) {
        bool right = true;
        for (std::int64_t n = 0; n < most - 1; ++n) {
          bool y[most];
          std::fill_n(y, most, n % 2 == 0);
          const bool found =
              GAIA_VECTOR_KERNEL(compare_run<T>)(f, a + 1, a_step, b + 1, b_step, y, n);
          right = right && found == (!of_truth || std::is_same_v<T, bool>);
          for (std::int64_t i = 0; i < n; ++i) {
            const bool wanted = std::visit(
                [&](const auto& g) { return g.value(a[1 + i * a_step], b[1 + i * b_step]); }, f);
            right = right && y[i] == (found ? wanted : n % 2 == 0);
          }
          right = right && y[n] == (n % 2 == 0);
        }
        INFO(f.index() << " with steps " << a_step << " and " << b_step);
        CHECK(right);
      }
    }
  }
}

TEST_CASE("Comparisons of long arrays, of rows with one row and of what lies backwards") {
  std::vector<float> numbers(100000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i % 97 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(i % 50);
  }
  const Array x = from_values(numbers, {100, 1000});
  const auto nan = isnan(x).to_vector<bool>();
  const Array row = x.slice(0, 3, 4);
  const auto below = (x < row).to_vector<bool>();
  const Array turned = x.transpose();
  const auto equal = (turned == turned.copy()).to_vector<bool>();
  bool right = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    right = right && nan[i] == (i % 97 == 0) && below[i] == (numbers[i] < numbers[3000 + i % 1000]);
    const std::size_t at = i % 100 * 1000 + i / 100;
    right = right && equal[i] == (at % 97 != 0);
  }
  CHECK(right);
}
