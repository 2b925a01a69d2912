// SPDX-License-Identifier: MIT
/// \file
/// Rows of numbers in another type, compared with one after the other.
#include "../../cpu/vector/cast.h"

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/formulas/cast.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

/// Numbers near all borders, and of all sizes.
template <class T>
T cast_number(std::mt19937_64& random) {
  if constexpr (std::is_floating_point_v<T>) {
    const int kind = static_cast<int>(random() % 40);
    if (kind == 0) return std::numeric_limits<T>::quiet_NaN();
    if (kind == 1) return std::numeric_limits<T>::infinity();
    if (kind == 2) return -std::numeric_limits<T>::infinity();
    if (kind == 3) return T(-0.0);
    const auto sign = random() % 2 == 0 ? T(1) : T(-1);
    if (kind < 20) {  // about a power of two, where a type ends or a way of converting does
      T border = std::ldexp(T(1), static_cast<int>(random() % 66));
      if (random() % 3 == 0) border = std::nextafter(border, T(0));
      if (random() % 3 == 0) border = std::nextafter(border, std::numeric_limits<T>::infinity());
      return sign * border;
    }
    const T mantissa = T(1) + std::ldexp(static_cast<T>(random() >> 11), -53);
    return sign * std::ldexp(mantissa, static_cast<int>(random() % 80) - 10);
  } else if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 0;
  } else {
    return random() % 5 == 0 ? T(0) : static_cast<T>(random() >> (random() % 64));
  }
}

template <class To, class From>
void check_casts() {
  if constexpr (!std::is_same_v<To, From>) {
    std::mt19937_64 random(7);
    static From x[4096];
    static To y[4097];
    const To guard = To(1);
    bool right = true;
    for (int trial = 0; trial < 40; ++trial) {
      // Some rows of small numbers alone, whose way may be another.
      for (From& one : x)
        one = trial % 4 == 0 ? static_cast<From>(trial) : cast_number<From>(random);
      for (const std::int64_t n : {0, 1, 7, 8, 15, 16, 17, 33, 4096}) {
        y[n] = guard;
        GAIA_VECTOR_KERNEL(cast_row<To, From>)(x, y, n);
        right = right && y[n] == guard;
        for (std::int64_t i = 0; i < n; ++i) {
          const To wanted = cast<To>(x[i]);
          right = right && (y[i] == wanted || (y[i] != y[i] && wanted != wanted));
        }
      }
    }
    CHECK(right);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("Rows are cast as numbers are", "", bool, std::int32_t, std::int64_t, float,
                   double) {
  check_casts<bool, TestType>();
  check_casts<std::int32_t, TestType>();
  check_casts<std::int64_t, TestType>();
  check_casts<float, TestType>();
  check_casts<double, TestType>();
}

TEST_CASE("Numbers are repeated as often as is asked, of every type and length") {
  for (const DType dtype :
       {DType::boolean, DType::bfloat16, DType::int32, DType::float32, DType::float64}) {
    for (const std::int64_t times : {1, 2, 3, 4, 5, 7, 16, 17, 31, 33, 130}) {
      for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{3}, 70000 / times}) {
        std::vector<double> values;
        std::vector<double> wanted;
        for (std::int64_t i = 0; i < rows; ++i) {
          const double value = dtype == DType::boolean ? static_cast<double>(i % 3 == 1)
                                                       : static_cast<double>(i % 199);
          values.push_back(value);
          wanted.insert(wanted.end(), static_cast<std::size_t>(times), value);
        }
        INFO(to_string(dtype) << " " << times << " " << rows);
        const Array x = from_values(values, {rows}).astype(dtype);
        CHECK(repeat(x, times).to_vector<double>() == wanted);
        // Every second number of a longer array, backwards.
        const Array apart = repeat(x, 2).slice(0, {}, {}, -2);
        CHECK(repeat(apart, times).slice(0, {}, {}, -1).to_vector<double>() == wanted);
      }
    }
  }
  const Array x = arange(60).reshape({3, 4, 5});
  const Array wide = x.transpose().expand_dims(3).broadcast_to({5, 4, 3, 6});
  CHECK(wide.copy().to_vector<double>() == repeat(x.transpose().copy(), 6).to_vector<double>());
}
