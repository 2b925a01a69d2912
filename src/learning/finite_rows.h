// SPDX-License-Identifier: MIT
/// \file
/// What is asked of rows before sums are computed from them, from which nothing goes away again.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "../core/message.h"

namespace gaia {

/// \throws ArgumentError, in the name of `who`, for the first of rows [rows, width] that is not
///         finite; `what` are its numbers, "feature".
inline void expect_finite_rows(const char* who, const char* what, std::span<const double> rows,
                               std::int64_t width) {
  // NaN where any is not finite; several sums do not wait for each other.
  std::array<double, 8> sums{};
  const std::size_t whole = rows.size() - rows.size() % sums.size();
  for (std::size_t i = 0; i < whole; i += sums.size()) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += rows[i + k] * 0.0;
  }
  for (std::size_t i = whole; i < rows.size(); ++i) sums[0] += rows[i] * 0.0;
  if (std::all_of(sums.begin(), sums.end(), [](double sum) { return sum == 0.0; })) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::isfinite(rows[i])) continue;
    const auto at = static_cast<std::int64_t>(i);
    fail<ArgumentError>(
        "[{}] {} {} of row {} is {}; leave such rows out; what was added before is as it was", who,
        what, at % width, at / width, rows[i]);
  }
}

}  // namespace gaia
