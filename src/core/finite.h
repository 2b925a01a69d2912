// SPDX-License-Identifier: MIT
/// \file
/// Whether numbers are all finite, asked of many at a time.
#pragma once

#include <cstdint>
#include <span>

namespace gaia {

/// Whether none of the numbers is infinite or NaN.  Without a branch for each of them, since nearly
/// always all are finite.
inline bool are_finite(std::span<const double> numbers) {
  std::int64_t others = 0;
  for (const double x : numbers) others += x - x == 0.0 ? 0 : 1;
  return others == 0;
}

}  // namespace gaia
