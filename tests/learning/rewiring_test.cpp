// SPDX-License-Identifier: MIT
#include "../../src/learning/rewiring.h"

#include <vector>

#include "../support/catch.h"
#include "../support/complaint.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("the smallest weights go, and those of the least growth come") {
  std::vector<double> mask = {1, 1, 0, 1, 0, 0, 1};
  const std::vector<double> weights = {0.5, -0.1, 9.0, 0.2, 0.0, 0.0, -3.0};
  const std::vector<double> growth = {-9.0, -9.0, 0.4, -9.0, -2.0, 0.1, -9.0};
  turn_over(mask, weights, growth, 2);
  CHECK(mask == std::vector<double>{1, 0, 0, 0, 1, 1, 1});
}

TEST_CASE("of equals those that stand first go and come, and never more than are missing") {
  std::vector<double> mask = {1, 1, 1, 0, 0};
  const std::vector<double> same(5, 1.0);
  turn_over(mask, same, same, 1);
  CHECK(mask == std::vector<double>{0, 1, 1, 1, 0});
  turn_over(mask, same, same, 100);
  CHECK(mask == std::vector<double>{1, 0, 0, 1, 1});
  std::vector<double> full(5, 1.0);
  turn_over(full, same, same, 3);
  CHECK(full == same);
  std::vector<double> none = mask;
  turn_over(none, same, same, 0);
  CHECK(none == mask);
}

TEST_CASE("options of rewiring are checked") {
  const auto of = [](const RewireOptions& options) {
    return complaint_of([&] { check(options); });
  };
  CHECK(of({.density = 0.0}) == "[rewire] density: expected 0 < x <= 1, got 0.0");
  CHECK(of({.every = -1}) == "[rewire] every: expected at least 0, got -1");
  CHECK(of({.share = 1.5}) == "[rewire] share: expected 0 to 1, got 1.5");
  CHECK(of({.until = -2}) == "[rewire] until: expected at least 0, got -2");
  CHECK(rounded_share(0.1, 3) == 1);
  CHECK(rounded_share(0.5, 5) == 3);
}
