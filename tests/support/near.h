// SPDX-License-Identifier: MIT
/// \file
/// Arrays against references, with a tolerance that follows the dtype.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../src/array/array.h"
#include "../reference/values.h"
#include "catch.h"

namespace gaia::test {

/// Distance from 1 to the next number; 0 for integers and bool.
inline double epsilon(DType dtype) {
  switch (dtype) {
    case DType::bfloat16:
      return 0x1p-7;
    case DType::float32:
      return 0x1p-23;
    case DType::float64:
      return 0x1p-52;
    case DType::boolean:
    case DType::int32:
    case DType::int64:
      break;
  }
  return 0.0;
}

/// Checks that `got` has the shape of `expected` and its numbers within `units` epsilons of its
/// dtype, relative to the larger of |expected| and `scale`.  NaN equals NaN here.
inline void check_near(const Array& got, const Values& expected, double units, double scale = 0.0) {
  REQUIRE(got.shape() == expected.shape);
  const std::vector<double> numbers = got.to_vector<double>();
  REQUIRE(numbers.size() == expected.numbers.size());
  const double unit = units * epsilon(got.dtype());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double wanted = expected.numbers[i];
    const bool same = numbers[i] == wanted || (std::isnan(numbers[i]) && std::isnan(wanted));
    if (same) continue;
    const double allowed = unit * std::max(std::abs(wanted), scale);
    if (!(std::abs(numbers[i] - wanted) <= allowed)) {
      INFO("element " << i << " of " << to_string(got.shape()) << " " << to_string(got.dtype()));
      CHECK(numbers[i] == Approx(wanted).epsilon(0.0).margin(allowed));
      return;
    }
  }
  SUCCEED();
}

/// Checks dtype, shape and numbers of a small array.
inline void check_equal(const Array& got, DType dtype, const Shape& shape,
                        const std::vector<double>& numbers) {
  CHECK(to_string(got.dtype()) == to_string(dtype));
  Values expected(shape);
  REQUIRE(expected.numbers.size() == numbers.size());
  expected.numbers = numbers;
  check_near(got, expected, 0.0);
}

/// The largest difference between two numbers at one place.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace gaia::test
