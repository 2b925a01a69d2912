// SPDX-License-Identifier: MIT
/// \file
/// Whether numbers are all finite, asked of many at a time.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace gaia {

/// Whether none of the numbers is infinite or NaN.  Without a branch for each of them, since nearly
/// always all are finite, and with several sums, of which no one waits for another: x - x is 0, or
/// NaN where x is not finite.
inline bool are_finite(std::span<const double> numbers) {
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums = {};
  std::size_t i = 0;
  for (; i + kSums <= numbers.size(); i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += numbers[i + k] - numbers[i + k];
  }
  for (; i < numbers.size(); ++i) sums[0] += numbers[i] - numbers[i];
  double sum = 0.0;
  for (const double one : sums) sum += one;
  return sum == 0.0;
}

}  // namespace gaia
