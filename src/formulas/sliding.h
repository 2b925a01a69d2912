// SPDX-License-Identifier: MIT
/// \file
/// The geometry of windows that slide over a plane, for convolution and pooling.
#pragma once

#include <array>
#include <cstdint>

namespace gaia {

/// A number for the rows and one for the columns of a plane.
using Pair = std::array<std::int64_t, 2>;

/// Output (i, j) reads the plane at (i stride - padding + a dilation), a in [0, kernel), and alike
/// along columns; what lies outside of the plane is padding.
struct SlidingWindow {
  Pair kernel = {1, 1};
  Pair stride = {1, 1};
  Pair padding = {0, 0};
  Pair dilation = {1, 1};
};

/// How often the window fits along rows (`side` 0) or columns (1) of an axis of `length`:
/// floor((length + 2 padding - dilation (kernel - 1) - 1) / stride) + 1; with `ceil_mode` rounded
/// up, as long as the last window begins before the padding behind the axis.
/// \throws ArgumentError for numbers out of range, ShapeError if it does not fit at all.
std::int64_t count_windows(std::int64_t length, const SlidingWindow& window, int side,
                           bool ceil_mode, const char* function);

}  // namespace gaia
