// SPDX-License-Identifier: MIT
/// \file
/// Sorting keys by registers, compared with std::sort; and what keys alone do not tell.
#include "../../cpu/vector/sort.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/sorting.h"
#include "../../src/formulas/order.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

constexpr int kManySteps = 100;

template <class K>
bool is_sorted_right(std::vector<K> keys, int steps = kManySteps) {
  std::vector<K> wanted = keys;
  std::sort(wanted.begin(), wanted.end());
  const auto n = static_cast<std::int64_t>(keys.size());
  keys.push_back(K(-78));  // nothing beyond the keys may change
  GAIA_VECTOR_KERNEL(sort_keys<K>)(keys.data(), n, steps);
  wanted.push_back(K(-78));
  return keys == wanted;
}

}  // namespace

TEMPLATE_TEST_CASE("Keys are sorted at every length", "", std::int32_t, std::int64_t, float,
                   double) {
  using K = TestType;
  std::mt19937_64 random(1);
  bool right = true;
  for (std::size_t n = 0; n <= 1300; ++n) {
    std::vector<K> keys(n);
    for (K& key : keys) key = static_cast<K>(static_cast<std::int64_t>(random()));
    right = right && is_sorted_right(keys);
    for (K& key : keys) key = static_cast<K>(static_cast<int>(random() % 5) - 2);
    right = right && is_sorted_right(keys);
    if (n > 0) keys[n / 2] = std::numeric_limits<K>::max();
    if (n > 1) keys[n / 3] = std::numeric_limits<K>::lowest();
    right = right && is_sorted_right(keys);
  }
  CHECK(right);
}

TEMPLATE_TEST_CASE("Keys in an order of their own are sorted too", "", std::int32_t, std::int64_t,
                   float, double) {
  using K = TestType;
  constexpr int n = 50000;
  std::vector<K> keys(n);
  const auto check = [&](const char* name, const std::function<int(int)>& key) {
    for (int i = 0; i < n; ++i) keys[static_cast<std::size_t>(i)] = static_cast<K>(key(i));
    INFO(name);
    CHECK(is_sorted_right(keys));
    for (K& one : keys) {
      if (one == K(0)) one = std::numeric_limits<K>::max();
    }
    CHECK(is_sorted_right(keys));
  };
  check("rising", [](int i) { return i; });
  check("falling", [](int i) { return -i; });
  check("one value", [](int) { return 7; });
  check("two values", [](int i) { return i % 2; });
  check("rising and falling", [](int i) { return std::min(i, n - i); });
  check("saw", [](int i) { return i % 97; });
  check("one that differs", [](int i) { return i == 31415 ? -1 : 0; });
}

TEMPLATE_TEST_CASE("Keys are sorted when the steps of quicksort come to an end", "", std::int32_t,
                   std::int64_t, float, double) {
  using K = TestType;
  std::mt19937_64 random(5);
  std::vector<K> keys(5000);
  for (K& key : keys) key = static_cast<K>(static_cast<int>(random() % 3000) - 1500);
  for (const int steps : {0, 1, 2, 3}) CHECK(is_sorted_right(keys, steps));
}

TEST_CASE("Parted keys lie on their sides of the border") {
  std::mt19937_64 random(2);
  const auto part = GAIA_VECTOR_KERNEL(part_keys<std::int64_t>);
  for (const std::int64_t n : {2, 3, 9, 64, 1000, 70000}) {
    for (const std::uint64_t kinds : {1U, 2U, 1000U}) {
      std::vector<std::int64_t> keys(static_cast<std::size_t>(n));
      for (auto& key : keys) key = static_cast<std::int64_t>(random() % kinds);
      std::vector<std::int64_t> room(keys.size());
      const cpu::PartedKeys parted = part(keys.data(), n);
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

FLOAT_TEST_CASE("Zeros of both signs keep their order, and NaN comes last") {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> x = {T(0),      -T(0), nan,      T(1),
                            -T(0),     -nan,  T(0),     T(-1),
                            -infinity, -T(0), infinity, std::numeric_limits<T>::denorm_min()};
  for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
    std::vector<T> wanted = x;
    std::stable_sort(wanted.begin(), wanted.end(), [&](T a, T b) {
      return order == SortOrder::ascending ? ComesBefore{}.value(a, b) : ComesBefore{}.value(b, a);
    });
    std::vector<T> got = sort(from_values(x, {static_cast<std::int64_t>(x.size())}), 0, order)
                             .template to_vector<T>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      INFO(i << ": " << got[i] << ", not " << wanted[i]);
      CHECK((std::isnan(got[i]) ? std::isnan(wanted[i]) : got[i] == wanted[i]));
      CHECK(std::signbit(got[i]) == std::signbit(wanted[i]));
    }
  }
}

FLOAT_TEST_CASE("Zeros and NaN keep their order and their bits among many numbers") {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const auto bits_of = [](const std::vector<T>& numbers) {
    std::vector<Bits> bits;
    for (const T one : numbers) bits.push_back(std::bit_cast<Bits>(one));
    return bits;
  };
  std::mt19937_64 random(8);
  const T infinity = std::numeric_limits<T>::infinity();
  for (const std::size_t n : {3U, 40U, 1001U, 5000U}) {
    for (const unsigned special : {1U, 3U, 7U}) {  // zeros, NaN, infinities
      std::vector<T> x(2 * n);
      for (T& one : x) {
        const auto draw = static_cast<std::int64_t>(random());
        one = static_cast<T>(draw % 1000);
        const T sign = (draw & 1024) != 0 ? T(1) : T(-1);
        const auto kind = random() % 8;
        if (kind < 2 && (special & 1U) != 0) one = std::copysign(T(0), sign);
        if (kind == 2 && (special & 2U) != 0) {
          // NaN that differ from each other.
          const T nan = std::copysign(std::numeric_limits<T>::quiet_NaN(), sign);
          one = std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(nan) + random() % 64));
        }
        if (kind == 3 && (special & 4U) != 0) one = infinity * sign;
      }
      const Array array = from_values(x, {static_cast<std::int64_t>(n), 2});
      for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
        const auto before = [&](T a, T b) {
          return order == SortOrder::ascending ? ComesBefore{}.value(a, b)
                                               : ComesBefore{}.value(b, a);
        };
        std::vector<T> wanted = x;
        std::stable_sort(wanted.begin(), wanted.end(), before);
        CHECK(bits_of(sort(array.reshape({-1}), 0, order).template to_vector<T>()) ==
              bits_of(wanted));
        std::vector<T> column;
        for (std::size_t i = 0; i < n; ++i) column.push_back(x[2 * i]);
        std::stable_sort(column.begin(), column.end(), before);
        const Array every_second = array.slice(1, 0, 1);
        CHECK(bits_of(sort(every_second, 0, order).template to_vector<T>()) == bits_of(column));
      }
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
      const Array places = argsort(x, 0, largest ? SortOrder::descending : SortOrder::ascending);
      for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, n / 100, n / 5, n}) {
        INFO(to_string(dtype) << ", " << k << " of " << n);
        CHECK(top_k(x, k, 0, largest).indices.to_vector<std::int64_t>() ==
              places.slice(0, 0, k).to_vector<std::int64_t>());
      }
    }
  };
  for (const std::size_t n : {20U, 1000U, 30000U}) {
    std::vector<double> numbers(n);
    for (double& one : numbers) one = static_cast<double>(random() % 50) - 25.0;
    for (const DType dtype : {DType::float32, DType::float64, DType::int64}) check(numbers, dtype);
    // The numbers have 64 bits, so many that a place next to them cuts their last digits off.
    for (double& one : numbers) {
      one = std::ldexp(1.0 + std::ldexp(static_cast<double>(random() % 9), -50),
                       random() % 2 == 0 ? 900 : -900);
    }
    check(numbers, DType::float64);
  }
}

TEST_CASE("The first places are right where numbers evenly apart tell nothing of the others") {
  const std::size_t n = 1 << 14;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  // Up to 1024 numbers are looked at.
  for (const std::size_t apart : {n / 1024, n / 512}) {
    for (const float there : {-5.0F, 5.0F, 0.0F, nan}) {
      std::vector<float> x(n);
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = i % apart == apart / 2 ? there : i % 3 == 0 ? -0.0F : 1.0F;
      }
      const Array array = from_values(x, {static_cast<std::int64_t>(n)});
      for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
        const Array places = argsort(array, 0, order);
        for (const std::int64_t k : {1, 2, 10, 500, 2000, 4000}) {
          CHECK(top_k(array, k, 0, order == SortOrder::descending)
                    .indices.to_vector<std::int64_t>() ==
                places.slice(0, 0, k).to_vector<std::int64_t>());
        }
      }
    }
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
      CHECK(argsort(from_values(x, {static_cast<std::int64_t>(x.size())}), 0, order)
                .to_vector<std::int64_t>() == wanted);
    }
  }
}

TEST_CASE("A few keys among many that differ in their last digits alone") {
  constexpr std::int64_t n = 5000;
  bool right = true;
  for (const std::int64_t first : {0, 1, 254, 255, 256, 257, 510, 511, 512, 4863, 4864, 4998}) {
    for (const std::int64_t count : {2, 3, 300}) {
      // Falling, so that places alone would say the wrong order.
      std::vector<std::int64_t> x(n);
      std::vector<std::int64_t> wanted(n);
      for (std::int64_t rank = 0; rank < n; ++rank) {
        const bool alike = rank >= first && rank < first + count;
        const std::int64_t key = alike ? (first << 49) + (rank - first) : rank << 49;
        x[static_cast<std::size_t>(n - 1 - rank)] = key;
        wanted[static_cast<std::size_t>(rank)] = n - 1 - rank;
      }
      right = right && argsort(from_values(x, {n})).to_vector<std::int64_t>() == wanted;
    }
  }
  CHECK(right);
}

TEMPLATE_TEST_CASE("Numbers are searched among sorted ones of every count", "", bool, std::int32_t,
                   std::int64_t, float, double) {
  using T = TestType;
  constexpr ComesBefore before;
  constexpr bool floating = std::is_floating_point_v<T>;
  std::mt19937_64 random(12);
  const auto number = [&] {
    if (floating && random() % 9 == 0)
      return static_cast<T>(std::numeric_limits<double>::quiet_NaN());
    if (floating && random() % 9 == 0) return static_cast<T>(-0.0);
    return static_cast<T>(static_cast<double>(random() % 40) - (std::is_same_v<T, bool> ? 20 : 7));
  };
  bool right = true;
  for (const std::int64_t length : {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100, 1000}) {
    auto row = std::make_unique<T[]>(static_cast<std::size_t>(length));
    T* const end = row.get() + length;
    std::generate(row.get(), end, number);
    std::sort(row.get(), end, [=](T a, T b) { return before.value(a, b); });
    const Array sorted = from_values(std::span<const T>(row.get(), end), {length});
    for (const std::int64_t count : {0, 1, 7, 8, 9, 40}) {
      auto x = std::make_unique<T[]>(static_cast<std::size_t>(count));
      std::generate_n(x.get(), count, number);
      const Array wanted = from_values(std::span<const T>(x.get(), x.get() + count), {count});
      const auto left = searchsorted(sorted, wanted).template to_vector<std::int64_t>();
      const auto turned =
          searchsorted(sorted, flip(wanted), Side::right).template to_vector<std::int64_t>();
      for (std::int64_t i = 0; i < count; ++i) {
        const auto precedes = [=](T a, T b) { return before.value(a, b); };
        const T one = x[static_cast<std::size_t>(i)];
        right = right && left[static_cast<std::size_t>(i)] ==
                             std::lower_bound(row.get(), end, one, precedes) - row.get();
        right = right && turned[static_cast<std::size_t>(count - 1 - i)] ==
                             std::upper_bound(row.get(), end, one, precedes) - row.get();
      }
    }
  }
  CHECK(right);
}
