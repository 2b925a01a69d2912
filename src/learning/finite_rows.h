// SPDX-License-Identifier: MIT
/// \file
/// What is asked of rows before sums are computed from them, from which nothing goes away again.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "../core/finite.h"
#include "../core/message.h"

namespace gaia {

/// \throws ArgumentError, in the name of `who`, for the first of rows [rows, width] that is not
///         finite; `what` are its numbers, "feature".
inline void expect_finite_rows(const char* who, const char* what, std::span<const double> rows,
                               std::int64_t width) {
  if (are_finite(rows)) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::isfinite(rows[i])) continue;
    const auto at = static_cast<std::int64_t>(i);
    fail<ArgumentError>(
        "[{}] {} {} of row {} is {}; leave such rows out; what was added before is as it was", who,
        what, at % width, at / width, rows[i]);
  }
}

}  // namespace gaia
