// SPDX-License-Identifier: MIT
/// \file
/// Runs of every length and at every address, and nothing beside them.
#include "../../cpu/vector/copy.h"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"

using namespace gaia;
using cpu::Stores;

namespace {

/// Numbers of which no two neighbours are alike.
template <class T>
T number(std::int64_t i) {
  return static_cast<T>(i % 2 == 0 ? i % 113 : 0);
}

}  // namespace

TEST_CASE("Bytes of every count are copied from and to every address") {
  constexpr std::int64_t border = 64;
  bool right = true;
  const auto check = [&](std::int64_t count, std::int64_t from, std::int64_t to, Stores stores) {
    std::vector<unsigned char> x(static_cast<std::size_t>(count + from) + 1);
    std::iota(x.begin(), x.end(), static_cast<unsigned char>(1));
    std::vector<unsigned char> y(static_cast<std::size_t>(count + to + border), 77);
    GAIA_VECTOR_KERNEL(copy_bytes)(x.data() + from, y.data() + to, count, stores);
    for (std::int64_t i = 0; i < std::ssize(y); ++i) {
      const std::int64_t place = i - to;
      const bool inside = place >= 0 && place < count;
      const int wanted = inside ? static_cast<unsigned char>(place + from + 1) : 77;
      right = right && y[static_cast<std::size_t>(i)] == wanted;
    }
  };
  for (std::int64_t count = 0; count < 600; ++count) {
    check(count, count % 7, count % 67, Stores::through_caches);
    check(count, 0, 0, Stores::past_caches);
  }
  for (std::int64_t to = 0; to < border; ++to) {
    for (const std::int64_t count : {64, 65, 200, 319, 5000}) {
      check(count, 3, to, Stores::through_caches);
      check(count, 0, to, Stores::past_caches);
    }
  }
  CHECK(right);
}

TEMPLATE_TEST_CASE("Rows of every type are filled, and copied in reverse and by every second", "",
                   bool, std::uint16_t, std::int32_t, std::int64_t, float, double) {
  using T = TestType;
  constexpr std::int64_t most = 400;
  constexpr std::int64_t room = 2 * most + 16;
  bool right = true;
  T x[room];
  T y[room];
  for (std::int64_t i = 0; i < room; ++i) x[i] = number<T>(i * i);
  const auto check = [&](const auto& wanted) {
    for (std::int64_t i = 0; i < room; ++i) right = right && y[i] == wanted(i);
  };
  for (std::int64_t n = 0; n <= most; ++n) {
    const std::int64_t first = n % 5;
    std::memset(y, 0, sizeof y);
    GAIA_VECTOR_KERNEL(fill_row<T>)(T(1), y + first, n);
    check([=](std::int64_t i) { return i >= first && i < first + n ? T(1) : T(0); });
    std::memset(y, 0, sizeof y);
    GAIA_VECTOR_KERNEL(copy_reversed<T>)(x + most, y + first, n);
    check(
        [&](std::int64_t i) { return i >= first && i < first + n ? x[most - (i - first)] : T(0); });
    std::memset(y, 0, sizeof y);
    GAIA_VECTOR_KERNEL(copy_from_every_second<T>)(x + 1, y + first, n);
    check([&](std::int64_t i) {
      return i >= first && i < first + n ? x[1 + 2 * (i - first)] : T(0);
    });
    std::memset(y, 0, sizeof y);
    GAIA_VECTOR_KERNEL(copy_to_every_second<T>)(x + 1, y + first, n);
    check([&](std::int64_t i) {
      const std::int64_t place = i - first;
      return place >= 0 && place % 2 == 0 && place < 2 * n ? x[1 + place / 2] : T(0);
    });
  }
  CHECK(right);
}

TEST_CASE("Views of several axes are copied run by run") {
  const Array x = arange(3.0 * 5 * 7 * 4).reshape({3, 5, 7, 4});
  const auto numbers = x.to_vector<double>();
  const Array some = x.slice(1, 1, 4).slice(2, 0, {}, 3).slice(3, 0, {}, 2).copy();
  const auto found = some.to_vector<double>();
  std::size_t at = 0;
  bool right = some.shape() == Shape{3, 3, 3, 2};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 1; j < 4; ++j) {
      for (std::size_t k = 0; k < 7; k += 3) {
        for (std::size_t l = 0; l < 4; l += 2) {
          right = right && found[at++] == numbers[((i * 5 + j) * 7 + k) * 4 + l];
        }
      }
    }
  }
  CHECK(right);

  const Array large = full({7'000'001}, 3.0, DType::float32);  // more than the caches are asked for
  const Array again = large.slice(0, 1).copy();
  CHECK(sum(again).item() == 21'000'000.0);
}
