// SPDX-License-Identifier: MIT
#include "../../src/search/successive_halving.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("the best of each rung stay, and get as many times as much as there are fewer of them") {
  SuccessiveHalving halving(36);
  std::int64_t steps = 0;
  Numbers counts;
  while (!halving.is_done()) {
    std::vector<double> objectives;
    for (const std::int64_t k : halving.candidates()) {
      steps += halving.part_of(1800);
      objectives.push_back(std::abs(static_cast<double>(k) - 20.2));
    }
    counts.push_back(std::ssize(objectives));
    if (halving.rung() == 1) {
      CHECK(halving.candidates() == Numbers{15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26});
    }
    if (halving.rung() == 2) CHECK(halving.candidates() == Numbers{19, 20, 21, 22});
    halving.tell(objectives);
  }
  CHECK(counts == Numbers{36, 12, 4});
  CHECK(steps == 36 * 200 + 12 * 600 + 4 * 1800);  // a third of all to the end
}

TEST_CASE("of equal candidates those before stay, and those without a number never do") {
  SuccessiveHalving halving(7, {.factor = 2, .rungs = 3});
  CHECK(halving.part_of(100) == 25);
  halving.tell(std::vector<double>{2, kNaN, 1, 2, 2, -kNaN, 9});
  CHECK(halving.candidates() == Numbers{0, 2, 3});
  CHECK(halving.part_of(101) == 51);
  halving.tell(std::vector<double>{kNaN, std::numeric_limits<double>::infinity(), kNaN});
  CHECK(halving.is_done());

  SuccessiveHalving few(2, {.factor = 4, .rungs = 3});
  CHECK(few.part_of(3) == 1);  // rounded, and one at least
  few.tell(std::vector<double>{1, 0});
  CHECK(few.candidates() == Numbers{1});
  few.tell(std::vector<double>{5});
  CHECK(few.candidates() == Numbers{1});
  CHECK(few.part_of(3) == 3);
  few.tell(std::vector<double>{5});
  CHECK(few.is_done());
}

TEST_CASE("where scores are noisy it finds a better one than whole runs of the same cost") {
  // Candidate k is worth k/81; a run of n steps sees that with a deviation of 4/sqrt(n).
  double halved = 0, whole = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const auto loss = [&](std::int64_t k, std::int64_t steps) {
      return -static_cast<double>(k) / 81 +
             4 * normal(random) / std::sqrt(static_cast<double>(steps));
    };
    std::vector<std::int64_t> order(81);
    for (std::size_t i = 0; i < 81; ++i) order[i] = static_cast<std::int64_t>(i);
    std::shuffle(order.begin(), order.end(), random);
    SuccessiveHalving halving(81, {.factor = 3, .rungs = 4});
    std::int64_t found = 0;
    while (!halving.is_done()) {
      std::vector<double> losses;
      for (const std::int64_t k : halving.candidates()) {
        losses.push_back(loss(order[static_cast<std::size_t>(k)], halving.part_of(8100)));
      }
      const auto best = std::min_element(losses.begin(), losses.end()) - losses.begin();
      found = order[static_cast<std::size_t>(halving.candidates()[static_cast<std::size_t>(best)])];
      halving.tell(losses);
    }
    halved += static_cast<double>(found) / 81 / 200;
    // Its cost, 81/27 + 27/9 + 9/3 + 3 = 12 whole runs.
    std::int64_t best = order[0];
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 12; ++i) {
      const double one = loss(order[i], 8100);
      if (one < least) best = order[i];
      least = std::min(least, one);
    }
    whole += static_cast<double>(best) / 81 / 200;
  }
  CHECK(halved > whole + 0.02);
}

TEST_CASE("halving refuses what it cannot do") {
  CHECK_THROWS_AS(SuccessiveHalving(0), ArgumentError);
  CHECK_THROWS_AS(SuccessiveHalving(3, {.factor = 1}), ArgumentError);
  CHECK_THROWS_AS(SuccessiveHalving(3, {.rungs = 0}), ArgumentError);
  SuccessiveHalving halving(3);
  CHECK_THROWS_WITH(halving.tell(std::vector<double>{1, 2}),
                    Catch::Matchers::ContainsSubstring("of 3 candidates, got 2"));
}
