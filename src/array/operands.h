// SPDX-License-Identifier: MIT
/// \file
/// What functions of arrays do with their arguments before they compute; for those who build on
/// arrays, not for users.
#pragma once

#include <string>

#include "array.h"

namespace gaia {

/// bfloat16 is a storage type: what computes sees float32.
DType computing(DType dtype);

/// x on the current device, in `dtype`.
Array prepare(const Array& x, DType dtype, const char* function);

/// x, of which a 0-d one counts as a vector of one: NumPy takes its axis 0 and -1.
template <class T>
T at_least_1d(const T& x) {
  return x.rank() == 0 ? x.reshape({1}) : x;
}

/// The axes that a reduction runs over.  As in NumPy those of a 0-d array are 0 and -1 too, over
/// which nothing is reduced.  \throws ShapeError as normalize_axes.
Axes reduced_axes(const Axes& axes, int rank, const char* function);

/// Refuses views that show one element in several places: which of the writes would last?
/// \throws ArgumentError.
void check_writable(const Array& x, const char* function);

/// Whether a and b, on one device, may have an element in common.
bool may_overlap(const Array& a, const Array& b);

/// `x` summed over the axes along which an array of `shape` was broadcast to `x`'s shape.
/// \throws ShapeError if it does not broadcast to it.
Array sum_to_shape(const Array& x, const Shape& shape);

}  // namespace gaia
