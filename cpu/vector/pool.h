// SPDX-License-Identifier: MIT
/// \file
/// Windows side by side that all lie inside of a plane.
#pragma once

#include <cstdint>

#include "../instruction_set.h"

namespace gaia::cpu {

/// A row of windows: tap (i, j) of window number w reads
/// x[first + w * stride + i * row_step + j * column_step].  No offset of a tap is 2^31 or more.
struct WindowRow {
  std::int64_t first;
  std::int64_t stride;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_step;
  std::int64_t column_step;
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// Windows that are taken together: a row has at least as many.
    template <class T> std::int64_t windows_together();
    /// The maxima of n windows, n >= windows_together, and where in x they are, as
    /// is_larger_or_nan has it.
    template <class T> void max_of_windows(const T* x, const WindowRow& row, std::int64_t n, T* y,
                                           std::int64_t* indices);
    /// The sums of n windows in double, n >= windows_together, divided.
    template <class T>
    void mean_of_windows(const T* x, const WindowRow& row, std::int64_t n, double divisor, T* y);)

}  // namespace gaia::cpu
