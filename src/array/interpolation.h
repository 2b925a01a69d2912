// SPDX-License-Identifier: MIT
/// \file
/// Numbers between those that are given: on a line through points, and on images of another size.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "array.h"

namespace gaia {

// Through points

/// What `interp` gives beyond the points.
struct InterpOptions {
  std::optional<double> left = {};   ///< Below the first point; the value there if not given.
  std::optional<double> right = {};  ///< Above the last point, alike.
  std::optional<double> period =
      {};  ///< Period of x: points are put in order within it, and go round.
};

/// numpy.interp: at each x the height of the straight lines that join the points (xp, fp), xp in
/// ascending order (of which nothing is checked).  Computed in float64, returned in the floating
/// dtype of the three.  NaN stays NaN.
/// \throws ShapeError unless xp and fp are 1-d, of one length, and not empty; ArgumentError for a
///         period of 0.
Array interp(const Array& x, const Array& xp, const Array& fp, const InterpOptions& options = {});

// Grids

enum class Interpolation : std::uint8_t {
  nearest,        ///< Element floor(i in / out): PyTorch's, and OpenCV's.
  nearest_exact,  ///< Element floor((i + 1/2) in / out): that whose middle is next.
  linear,         ///< Straight lines between the two nearest, axis by axis; the ends go on.
};

/// The new lengths of the axes behind the first two, by one of the first two members: one number
/// may stand for all of them.
struct InterpolateOptions {
  std::vector<std::int64_t> size = {};  ///< In elements.
  std::vector<double> scale = {};       ///< floor(length scale) elements.
  Interpolation mode = Interpolation::nearest;
  /// Whether the middles of the elements at the ends stay where they are, and not the ends
  /// themselves; only for linear.
  bool align_corners = false;
};

/// torch.nn.functional.interpolate of x [N, C, L], [N, C, H, W], ...: `linear` is its linear,
/// bilinear and trilinear.  With element i of the middle i + 1/2, linear reads at
/// (i + 1/2) in / out - 1/2, or at i (in - 1) / (out - 1) with align_corners; with `scale` in / out
/// is 1 / scale.  Positions of nearest are computed in the dtype of x, as PyTorch does, and linear
/// ones in float64.  Linear of integers gives float64; nearest keeps the dtype.
/// \throws ShapeError for fewer than three dimensions or empty axes behind the first two,
///         ArgumentError for options that do not fit.
Array interpolate(const Array& x, const InterpolateOptions& options);

}  // namespace gaia
