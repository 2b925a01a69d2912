// SPDX-License-Identifier: MIT
/// \file
/// Quantiles of times that are counted in classes.
#include "../../../src/experiment/live/latencies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../../support/catch.h"

using gaia::Latencies;

TEST_CASE("quantiles of latencies are those of all times within 1.6 %") {
  Latencies latencies;
  CHECK(std::isnan(latencies.quantile(0.5)));
  std::vector<std::int64_t> times;
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double share = static_cast<double>(state >> 11) * 0x1p-53;
    times.push_back(static_cast<std::int64_t>(std::exp(20.0 * share)));  // 1 ns to 0.5 s
    latencies.add(times.back());
  }
  std::sort(times.begin(), times.end());
  CHECK(latencies.count() == 20000);
  for (const double q : {0.0, 0.001, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    INFO(q);
    const auto place = std::max(1.0, std::ceil(q * 20000.0)) - 1.0;
    const double exact = 1e-9 * static_cast<double>(times[static_cast<std::size_t>(place)]);
    CHECK(std::abs(latencies.quantile(q) - exact) <= 0.016 * exact);
  }
}

TEST_CASE("latencies count several rows at once, and the shortest and longest times") {
  Latencies latencies;
  latencies.add(-5, 2);
  latencies.add(std::numeric_limits<std::int64_t>::max(), 2);
  CHECK(latencies.count() == 4);
  CHECK(latencies.quantile(0.5) == 0.0);
  CHECK(latencies.quantile(0.75) > 9e9 * 0.98);
}
