// SPDX-License-Identifier: MIT
/// \file
/// What interpolation reads of what: for arrays and for tensors, whose gradients follow from it.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "../core/message.h"
#include "indexing.h"
#include "interpolation.h"
#include "joining.h"
#include "operands.h"
#include "ops.h"
#include "sorting.h"

namespace gaia::detail {

/// The lines on which numbers of `x` lie, in float64: y = slope (x - start) + height, and for
/// gradients where each begins.
struct Lines {
  Array y;
  Array below;   ///< Point at or below each x: int64; the last beyond the points.
  Array slope;   ///< Slope of y by x: that of the line, 0 beyond the points; for gradients alone.
  Array share;   ///< Share of the next point in y, 0 beyond the points; for gradients alone.
  Array inside;  ///< Places of neither `left` nor `right`: bool; empty where that is everywhere.
};

/// \throws as interp.
Lines lines_at(const Array& x, const Array& xp, const Array& fp, const InterpOptions& options,
               bool for_gradients);

/// \throws as interp.
void check_points(const Shape& xp, const Shape& fp);

/// Points in order within a period, with the last one once more before and the first one behind.
template <class T, class Core>
T interp_periodic(const T& x, const Array& xp, const T& fp, double period, Core core) {
  if (period == 0.0) throw ArgumentError("[interp] expected a period other than 0, got 0");
  const double length = std::abs(period);
  const Array within = remainder(xp.astype(DType::float64), length);
  const Array order = argsort(within);
  const Array starts = take(within, order);
  const Array positions =
      concatenate({starts.slice(0, -1) - length, starts, starts.slice(0, 0, 1) + length}, 0);
  const Array around = concatenate({order.slice(0, -1), order, order.slice(0, 0, 1)}, 0);
  return core(remainder(x.astype(DType::float64), length), positions, take(fp, around));
}

/// Sources of the elements of an axis of another length: y[i] = (1 - share) x[low] +
/// share x[high], or x[low] where there are no shares.
struct ResizedAxis {
  int axis = 0;
  Array low;    ///< int64.
  Array high;   ///< int64; empty for nearest.
  Array share;  ///< float64; empty for nearest.
};

/// The axes that change, of an array of `shape` and `dtype`.  \throws as interpolate.
std::vector<ResizedAxis> resized_axes(const Shape& shape, DType dtype,
                                      const InterpolateOptions& options);

/// The shares of an axis as an array that broadcasts along the others.
Array shares_of(const ResizedAxis& resized, int rank, DType dtype);

/// x along an axis of another length.
Array resize(const Array& x, const ResizedAxis& resized);

}  // namespace gaia::detail
