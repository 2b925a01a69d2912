// SPDX-License-Identifier: MIT
#include "../../../src/experiment/data/stretches.h"

#include <bit>

#include "../../support/catch.h"

using namespace gaia;

namespace {

/// The stretches whose numbers below 20 have a bit in common with `bits`.
Stretches of_bits(unsigned bits) {
  Stretches made;
  for (std::int64_t n = 0; n < 20; ++n) {
    if ((bits >> n & 1U) != 0) append(made, {n, n + 1});
  }
  return made;
}

}  // namespace

TEST_CASE("stretches are sets of numbers") {
  unsigned a = 0x5a3c7;
  unsigned b = 0x0f0f1;
  for (int repeat = 0; repeat < 50; ++repeat) {
    a = (a * 1103515245U + 12345U) & 0xfffffU;
    b = (b * 69069U + 1U) & 0xfffffU;
    const Stretches left = of_bits(a);
    const Stretches right = of_bits(b);
    CHECK(intersection(left, right) == of_bits(a & b));
    CHECK(difference(left, right) == of_bits(a & ~b));
    CHECK(count_of(left) == std::popcount(a));
    for (std::int64_t n = 0; n < 20; ++n) {
      CHECK(contains(left, n) == ((a >> n & 1U) != 0));
      std::int64_t border = n + 1;
      while (border < 20 && contains(left, border) == contains(left, border - 1)) ++border;
      CHECK(next_border(left, n, 20) == border);
    }
  }
}
