// SPDX-License-Identifier: MIT
/// \file
/// Random numbers by vectors against the formulas, bit for bit.
#include "../../cpu/vector/random.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "../support/catch.h"

using namespace gaia;
using random_formulas::kPerBlock;
using random_formulas::NormalDraw;
using random_formulas::UniformDraw;

namespace {

/// Whether the kernel's numbers are those of the formulas, and what lies behind them is untouched.
template <class Draw>
bool agrees(const RandomStream& stream, const Draw& draw, std::uint64_t first,
            std::int64_t blocks) {
  using T = typename Draw::Number;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr T untouched = std::numeric_limits<T>::max();
  std::vector<T> expected;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const auto block = stream.block(first + static_cast<std::uint64_t>(i));
    const std::uint32_t words[4] = {block[0], block[1], block[2], block[3]};
    T numbers[kPerBlock<T>];
    draw(words, numbers);
    expected.insert(expected.end(), numbers, numbers + kPerBlock<T>);
  }
  expected.push_back(untouched);
  std::vector<T> got(expected.size(), untouched);
  GAIA_VECTOR_KERNEL(draw_blocks<Draw>)(stream, draw, first, blocks, got.data());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::bit_cast<Bits>(got[i]) != std::bit_cast<Bits>(expected[i])) return false;
  }
  return true;
}

}  // namespace

FLOAT_TEST_CASE("Vectors of random numbers are those of the formulas, bit for bit") {
  const NormalDraw<T> standard{0, 1};
  const NormalDraw<T> moved{static_cast<T>(3.3), static_cast<T>(0.7)};
  const UniformDraw<T> upwards{0, 1, std::nextafter(T(1), T(0))};
  const UniformDraw<T> downwards{2, -7, std::nextafter(T(-5), T(2))};
  constexpr std::uint64_t ones = ~std::uint64_t(0);
  for (const RandomStream& stream : {RandomStream{0, 0}, RandomStream{42, 7},
                                     RandomStream{ones, ones}, RandomStream{1ull << 40, 3}}) {
    // From 2^32 - 1 on the counter's second word changes, and from 2^64 - 2 on it begins anew.
    for (const std::uint64_t first : std::vector<std::uint64_t>{0, 5, ones >> 32, ones - 1}) {
      for (const std::int64_t blocks : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 1000}) {
        INFO("seed " << stream.seed << ", first " << first << ", " << blocks << " blocks");
        CHECK(agrees(stream, standard, first, blocks));
        CHECK(agrees(stream, moved, first, blocks));
        CHECK(agrees(stream, upwards, first, blocks));
        CHECK(agrees(stream, downwards, first, blocks));
      }
    }
  }
  CHECK(agrees(RandomStream{9, 9}, standard, 0, 300'000));  // of many arguments of the logarithm
}
