// SPDX-License-Identifier: MIT
/// \file
/// Rows chosen by a mask, compared with one number after the other.
#include "../../cpu/vector/select.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../src/formulas/order.h"
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

TEST_CASE("The places of a mask that are true are written, and nothing behind them") {
  std::mt19937_64 random(4);
  bool right = true;
  for (const std::int64_t n : {0, 1, 7, 63, 64, 65, 128, 200, 1000, 5000}) {
    for (const unsigned of_hundred : {0U, 1U, 30U, 50U, 99U, 100U}) {
      const auto mask = std::make_unique<bool[]>(static_cast<std::size_t>(n));
      std::vector<std::int64_t> wanted;
      for (std::int64_t i = 0; i < n; ++i) {
        mask[static_cast<std::size_t>(i)] = random() % 100 < of_hundred;
        if (mask[static_cast<std::size_t>(i)]) wanted.push_back(70 + i);
      }
      const auto count = GAIA_VECTOR_KERNEL(count_of_true)(mask.get(), n);
      right = right && count == std::ssize(wanted);
      wanted.push_back(-5);
      std::vector<std::int64_t> got(wanted.size(), -5);
      const std::int64_t* const end = got.data() + count;
      right = right &&
              GAIA_VECTOR_KERNEL(places_of_true)(mask.get(), n, 70, got.data(), end) == end &&
              got == wanted;
    }
  }
  CHECK(right);
}

TEMPLATE_TEST_CASE("Places of numbers up to a border", "", bool, std::int32_t, std::int64_t, float,
                   double) {
  using T = TestType;
  std::mt19937_64 random(5);
  bool right = true;
  for (const std::int64_t n : {0, 1, 63, 64, 300}) {
    const auto x = std::make_unique<T[]>(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      T& one = x[static_cast<std::size_t>(i)];
      one = static_cast<T>(static_cast<int>(random() % 9) - 4);
      if constexpr (std::is_floating_point_v<T>) {
        if (one == T(-3)) one = -T(0);
        if (one == T(3)) one = std::numeric_limits<T>::quiet_NaN();
      }
    }
    for (const cpu::SortKey<T> flip : {0, -1}) {
      for (const T at : {T(0), T(1), T(4)}) {
        const cpu::SortKey<T> border = cpu::sort_key_of_value(at) ^ flip;
        std::vector<std::int64_t> wanted;
        for (std::int64_t i = 0; i < n; ++i) {
          const T one = x[static_cast<std::size_t>(i)];
          const ComesBefore before;
          if (flip == 0 ? !before.value(at, one) : !before.value(one, at)) wanted.push_back(i);
        }
        std::vector<std::int64_t> got(static_cast<std::size_t>(n));
        got.resize(static_cast<std::size_t>(
            GAIA_VECTOR_KERNEL(places_up_to<T>)(x.get(), n, flip, border, got.data())));
        right = right && got == wanted;
      }
    }
  }
  CHECK(right);
}

TEST_CASE("Whether all numbers lie within bounds") {
  for (const std::size_t n : {0U, 1U, 9U, 64U, 1000U}) {
    std::vector<std::int64_t> x(n, 2);
    const auto within = [&] {
      return GAIA_VECTOR_KERNEL(all_within)(x.data(), std::ssize(x), -3, 5);
    };
    CHECK(within());
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      if (n == 0) break;
      for (const auto& [value, belongs] : {std::pair<std::int64_t, bool>{-4, false},
                                           {-3, true},
                                           {4, true},
                                           {5, false},
                                           {std::numeric_limits<std::int64_t>::min(), false},
                                           {std::numeric_limits<std::int64_t>::min() + 3, false},
                                           {std::numeric_limits<std::int64_t>::max() - 3, false},
                                           {std::numeric_limits<std::int64_t>::max(), false}}) {
        x[at] = value;
        CHECK(within() == belongs);
      }
      x[at] = 2;
    }
  }
  constexpr std::int64_t most = std::int64_t{1} << 62;
  for (const std::int64_t low : {std::int64_t{0}, -most}) {
    for (const std::int64_t high : {std::int64_t{0}, most}) {
      for (const std::int64_t x :
           {std::numeric_limits<std::int64_t>::min(), -most - 1, -most, std::int64_t{-1},
            std::int64_t{0}, most - 1, most, std::numeric_limits<std::int64_t>::max()}) {
        CHECK(GAIA_VECTOR_KERNEL(all_within)(&x, 1, low, high) == (x >= low && x < high));
      }
    }
  }
}
