// SPDX-License-Identifier: MIT
/// \file
/// What holds of every series that a file gives, whatever the file.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../../src/io/series.h"
#include "target.h"

namespace gaia::test {

/// The rows are finite, and the same in one piece, in blocks, and from the end to the start.
inline void check_series(Series& series) {
  const std::int64_t rows = series.rows();
  const std::int64_t channels = series.channels();
  require(rows >= 1 && channels >= 1, "a series has rows and channels");
  if (rows * channels > 1000000) return;
  std::vector<double> whole(static_cast<std::size_t>(rows * channels));
  series.read(0, rows, whole);
  require(std::all_of(whole.begin(), whole.end(), [](double x) { return std::isfinite(x); }),
          "numbers are finite");
  const std::int64_t block = rows / 3 + 1;
  std::vector<double> part(static_cast<std::size_t>(block * channels));
  for (std::int64_t first = (rows - 1) / block * block; first >= 0; first -= block) {
    const std::int64_t count = std::min(block, rows - first);
    series.read(first, count, part);
    require(
        std::equal(part.begin(), part.begin() + count * channels, whole.begin() + first * channels),
        "a block is as it is in the whole");
  }
}

}  // namespace gaia::test
