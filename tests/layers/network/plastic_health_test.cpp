// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/plastic_health.h"

#include <limits>

#include "../../support/catch.h"

using namespace gaia;

TEST_CASE("Health is told in words, and both ends of a range are healthy") {
  const auto fast = [](double value) { return to_string(health_of(kHealthyFastNorm, value)); };
  CHECK(fast(0.499) == "too low");
  CHECK(fast(0.5) == "healthy");
  CHECK(fast(5.0) == "healthy");
  CHECK(fast(5.0f * (1.0f + std::numeric_limits<float>::epsilon())) == "healthy");
  CHECK(fast(5.001) == "too high");
  CHECK(fast(std::numeric_limits<double>::infinity()) == "too high");
  CHECK(fast(std::numeric_limits<double>::quiet_NaN()) == "not a number");
}

TEST_CASE("The healthy ranges are those of the guide") {
  const auto range = [](const char* name) {
    const HealthyRange* const found = healthy_range(name);
    REQUIRE(found != nullptr);
    return std::pair(found->low, found->high);
  };
  CHECK(range("fast_norm") == std::pair(0.5, 5.0));
  CHECK(range("slow_norm") == std::pair(0.1, 2.0));
  CHECK(range("update_norm") == std::pair(0.01, 0.5));
  CHECK(range("gradient_norm") == std::pair(0.0, 100.0));
  CHECK(range("world_model_loss") == std::pair(0.0, 0.1));
  CHECK(range("epistemic_value") == std::pair(0.01, 0.2));
  CHECK(healthy_ranges().size() == 6);
  CHECK(healthy_range("weight_norm") == nullptr);
}
