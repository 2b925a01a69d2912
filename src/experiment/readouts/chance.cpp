// SPDX-License-Identifier: MIT
#include "chance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace gaia {
namespace {

constexpr std::int64_t kMostBlocks = 20;

/// .975 quantiles of Student's distribution with 1, 2, ... degrees of freedom.
constexpr std::array<double, kMostBlocks - 1> kQuantiles = {
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
    2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930};

}  // namespace

ChanceBlocks::ChanceBlocks(std::int64_t ticks, std::int64_t overlap)
    : ticks_(std::max<std::int64_t>(1, ticks)),
      count_(std::clamp<std::int64_t>(ticks / std::max<std::int64_t>(1, overlap), 1, kMostBlocks)) {
}

bool differ_beyond_chance(const JackknifedNumber& a, const JackknifedNumber& b) {
  const std::size_t count = std::max(a.without.size(), b.without.size());
  if (count < 2) return false;
  std::vector<double> differences;
  double mean = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double of_a = i < a.without.size() ? a.without[i] : a.value;
    const double of_b = i < b.without.size() ? b.without[i] : b.value;
    differences.push_back(of_a - of_b);
    mean += (of_a - of_b) / static_cast<double>(count);
  }
  double squares = 0.0;
  for (const double d : differences) squares += (d - mean) * (d - mean);
  const auto blocks = static_cast<double>(count);
  const double deviation = std::sqrt((blocks - 1.0) / blocks * squares);
  const double quantile = kQuantiles[std::min(count - 2, kQuantiles.size() - 1)];
  return std::abs(a.value - b.value) > quantile * deviation;
}

}  // namespace gaia
