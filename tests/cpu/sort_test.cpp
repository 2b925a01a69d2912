// SPDX-License-Identifier: MIT
/// \file
/// Sorting keys by registers, beside std::sort; and what keys alone do not tell.
#include "../../cpu/vector/sort.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/sorting.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

template <class K>
std::vector<K> sorted_by_registers(std::vector<K> keys) {
  const auto n = static_cast<std::int64_t>(keys.size());
  std::vector<K> room(keys.size() + 1, K(-77));
  keys.push_back(K(-78));  // nothing beyond the keys may change
  GAIA_VECTOR_KERNEL(sort_keys<K>)(keys.data(), room.data(), n);
  CHECK(keys.back() == K(-78));
  CHECK(room.back() == K(-77));
  keys.pop_back();
  return keys;
}

template <class K>
bool is_sorted_right(const std::vector<K>& keys) {
  std::vector<K> wanted = keys;
  std::sort(wanted.begin(), wanted.end());
  return sorted_by_registers(keys) == wanted;
}

}  // namespace

TEMPLATE_TEST_CASE("Keys are sorted at every length", "", std::int32_t, std::int64_t) {
  using K = TestType;
  std::mt19937_64 random(1);
  bool right = true;
  for (std::size_t n = 0; n <= 700; ++n) {
    std::vector<K> keys(n);
    for (K& key : keys) key = static_cast<K>(random());
    right = right && is_sorted_right(keys);
    for (K& key : keys) key = static_cast<K>(random() % 5) - 2;
    right = right && is_sorted_right(keys);
    if (n > 0) keys[n / 2] = std::numeric_limits<K>::max();
    if (n > 1) keys[n / 3] = std::numeric_limits<K>::min();
    right = right && is_sorted_right(keys);
  }
  CHECK(right);
}

TEMPLATE_TEST_CASE("Keys in an order of their own are sorted too", "", std::int32_t,
                   std::int64_t) {
  using K = TestType;
  const K n = 50000;
  std::vector<K> keys(static_cast<std::size_t>(n));
  const auto check = [&](const char* name, const std::function<K(K)>& key) {
    for (K i = 0; i < n; ++i) keys[static_cast<std::size_t>(i)] = key(i);
    INFO(name);
    CHECK(is_sorted_right(keys));
  };
  check("rising", [](K i) { return i; });
  check("falling", [](K i) { return -i; });
  check("one value", [](K) { return K(7); });
  check("two values", [](K i) { return K(i % 2); });
  check("rising and falling", [=](K i) { return std::min(i, K(n - i)); });
  check("saw", [](K i) { return K(i % 97); });
  check("one that differs", [](K i) { return K(i == 31415 ? -1 : 0); });
  check("the largest", [](K i) { return K(std::numeric_limits<K>::max() - i % 3); });
}

TEMPLATE_TEST_CASE("Keys that mislead the choice of every border are sorted", "", std::int32_t,
                   std::int64_t) {
  using K = TestType;
  const std::size_t n = std::size_t{1} << 15;
  // However many keys are looked at, half of these are the smallest, again after every step.
  for (std::size_t looked_at = 16; looked_at <= 128; looked_at *= 2) {
    std::vector<K> keys(n);
    std::iota(keys.begin(), keys.end(), K(n));
    std::vector<std::size_t> places(n);
    std::iota(places.begin(), places.end(), std::size_t{0});
    K next = 0;
    for (int step = 0; step < 40; ++step) {
      const std::size_t apart = places.size() / looked_at;
      for (std::size_t i = 0; i <= looked_at / 2; ++i) {
        K& key = keys[places[apart / 2 + i * apart]];
        if (key >= K(n)) key = next++;
      }
      std::vector<std::size_t> rest;
      for (const std::size_t place : places) {
        if (keys[place] >= next - 1) rest.push_back(place);
      }
      places = rest;
    }
    CHECK(is_sorted_right(keys));
  }
}

TEST_CASE("Parted keys lie on their sides of the border") {
  std::mt19937_64 random(2);
  const auto part = GAIA_VECTOR_KERNEL(part_keys<std::int64_t>);
  for (const std::int64_t n : {2, 3, 9, 64, 1000, 70000}) {
    for (const std::uint64_t kinds : {1, 2, 1000}) {
      std::vector<std::int64_t> keys(static_cast<std::size_t>(n));
      for (auto& key : keys) key = static_cast<std::int64_t>(random() % kinds);
      std::vector<std::int64_t> room(keys.size());
      const cpu::PartedKeys parted = part(keys.data(), room.data(), n);
      REQUIRE((0 <= parted.below && parted.below <= parted.above && parted.above <= n));
      CHECK((parted.below < n && parted.above > 0));  // each part is shorter than the whole
      const auto below = keys.begin() + parted.below;
      const auto above = keys.begin() + parted.above;
      for (const auto border : {below, above}) {
        if (border == keys.begin() || border == keys.end()) continue;
        CHECK(*std::max_element(keys.begin(), border) < *std::min_element(border, keys.end()));
      }
      CHECK(std::equal(below, above, below, [&](auto a, auto) { return a == *below; }));
    }
  }
}

TEMPLATE_TEST_CASE("Zeros of both signs keep their order, and NaN comes last", "", float, double) {
  using T = TestType;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> x = {T(0), -T(0), nan,  T(1), -T(0), -nan,
                            T(0), T(-1), -infinity, -T(0), infinity, std::numeric_limits<T>::denorm_min()};
  for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
    std::vector<T> wanted = x;
    std::stable_sort(wanted.begin(), wanted.end(), [&](T a, T b) {
      return order == SortOrder::ascending ? ComesBefore{}.value(a, b)
                                           : ComesBefore{}.value(b, a);
    });
    std::vector<T> got = sort(from_values(x, {static_cast<std::int64_t>(x.size())}), 0, order).template to_vector<T>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      INFO(i << ": " << got[i] << ", not " << wanted[i]);
      CHECK((std::isnan(got[i]) ? std::isnan(wanted[i]) : got[i] == wanted[i]));
      CHECK(std::signbit(got[i]) == std::signbit(wanted[i]));
    }
  }
}

TEMPLATE_TEST_CASE("Integers of few values are sorted, at both ends of their type", "",
                   std::int32_t, std::int64_t) {
  using T = TestType;
  std::mt19937_64 random(6);
  for (const T least : {std::numeric_limits<T>::min(), T(-3), std::numeric_limits<T>::max()}) {
    for (const int values : {1, 2, 40}) {
      std::vector<T> x(300);
      for (T& one : x) {
        const T more = static_cast<T>(random() % static_cast<unsigned>(values));
        one = least > 0 ? static_cast<T>(least - more) : static_cast<T>(least + more);
      }
      const Array array = from_values(x, {300});
      std::sort(x.begin(), x.end());
      CHECK(sort(array).to_vector<T>() == x);
      std::reverse(x.begin(), x.end());
      CHECK(sort(array, 0, SortOrder::descending).to_vector<T>() == x);
    }
  }
}

TEST_CASE("The first places are those of the whole order, equals as they come") {
  std::mt19937_64 random(7);
  const auto check = [&](const std::vector<double>& numbers, DType dtype) {
    const auto n = static_cast<std::int64_t>(numbers.size());
    const Array x = from_values(numbers, {n}).astype(dtype);
    for (const bool largest : {false, true}) {
      const Array places =
          argsort(x, 0, largest ? SortOrder::descending : SortOrder::ascending);
      for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, n / 100, n / 5, n}) {
        INFO(to_string(dtype) << ", " << k << " of " << n);
        CHECK(top_k(x, k, 0, largest).indices.to_vector<std::int64_t>() ==
              places.slice(0, 0, k).to_vector<std::int64_t>());
      }
    }
  };
  for (const std::size_t n : {20, 1000, 30000}) {
    std::vector<double> numbers(n);
    for (double& one : numbers) one = static_cast<double>(random() % 50) - 25.0;
    for (const DType dtype : {DType::float32, DType::float64, DType::int64}) check(numbers, dtype);
    // Of 64 bits so many that a place beside them cuts their last digits off.
    for (double& one : numbers) {
      one = std::ldexp(1.0 + std::ldexp(static_cast<double>(random() % 9), -50),
                       random() % 2 == 0 ? 900 : -900);
    }
    check(numbers, DType::float64);
  }
}

TEST_CASE("Places are right where keys differ in their last digits alone") {
  // With the place beside it there is no room for all of a key of 64 bits.
  std::mt19937_64 random(3);
  const std::size_t n = 5000;
  std::vector<std::int64_t> x(n);
  for (const bool far : {false, true}) {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<std::int64_t>(random() % 40);
      if (far && i % 3 == 0) x[i] += std::numeric_limits<std::int64_t>::max() - 50;
      if (far && i % 3 == 1) x[i] += std::numeric_limits<std::int64_t>::min();
    }
    for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
      std::vector<std::int64_t> wanted(n);
      std::iota(wanted.begin(), wanted.end(), 0);
      std::stable_sort(wanted.begin(), wanted.end(), [&](std::int64_t a, std::int64_t b) {
        const auto left = x[static_cast<std::size_t>(a)];
        const auto right = x[static_cast<std::size_t>(b)];
        return order == SortOrder::ascending ? left < right : right < left;
      });
      CHECK(argsort(from_values(x, {static_cast<std::int64_t>(x.size())}), 0, order).to_vector<std::int64_t>() == wanted);
    }
  }
}
