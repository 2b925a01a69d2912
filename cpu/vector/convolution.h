// SPDX-License-Identifier: MIT
/// \file
/// Convolution of planes where they lie: a tap of neighbouring positions is a run of memory, so
/// nothing has to be laid out as columns where windows are one position apart.
#pragma once

#include <cstdint>

#include "../instruction_set.h"

namespace gaia::cpu {

/// Rows of positions of one image.  Output o at position (i, j) is the sum over k of
/// weights[o * taps + k] x[i * x_row + j + offsets[k]].
template <class T>
struct PlaneRows {
  const T* weights;  ///< [outputs, taps]
  std::int64_t outputs;
  std::int64_t taps;
  const T* x;  ///< Whole vectors are read: beyond the last number are others.
  std::int64_t x_row;
  const std::int64_t* offsets;  ///< [taps]
  T* y;                         ///< Row i of output o begins at o * y_plane + i * width.
  std::int64_t y_plane;
  std::int64_t rows;
  std::int64_t width;
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// Positions of a vector.
    template <class T> std::int64_t positions_together();
    /// y = what that says, or += that.
    template <class T> void convolve_rows(const PlaneRows<T>& of, bool accumulate);)

}  // namespace gaia::cpu
