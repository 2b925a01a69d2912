// SPDX-License-Identifier: MIT
#include "plastic_health.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gaia {
namespace {

constexpr std::array kRanges = {kHealthyFastNorm,       kHealthySlowNorm,
                                kHealthyUpdateNorm,     kHealthyGradientNorm,
                                kHealthyWorldModelLoss, kHealthyEpistemicValue};

}  // namespace

std::span<const HealthyRange> healthy_ranges() { return kRanges; }

const HealthyRange* healthy_range(std::string_view name) {
  const auto* const found = std::find_if(kRanges.begin(), kRanges.end(),
                                         [&](const HealthyRange& one) { return one.name == name; });
  return found == kRanges.end() ? nullptr : found;
}

Health health_of(const HealthyRange& range, double value) {
  if (std::isnan(value)) return Health::not_a_number;
  constexpr double slack = 1e-4;
  if (value < range.low * (1.0 - slack)) return Health::too_low;
  return value > range.high * (1.0 + slack) ? Health::too_high : Health::healthy;
}

std::string to_string(Health health) {
  switch (health) {
    case Health::healthy:
      return "healthy";
    case Health::too_low:
      return "too low";
    case Health::too_high:
      return "too high";
    case Health::not_a_number:
      break;
  }
  return "not a number";
}

}  // namespace gaia
