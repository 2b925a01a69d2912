// SPDX-License-Identifier: MIT
/// \file
/// Elements by their positions: indices, masks, and what is written through them.
///
/// Indices are int32 or int64, or whole numbers in a floating array, as array({0, 2}) makes;
/// negative ones count from the end.  Every function runs on the
/// calling thread's current device, except that those which write (they return nothing) run where
/// their target lives and change its elements, as Array::assign does.
/// \throws ArgumentError for an index out of range, naming the index and the length, and for a
///         target that is a broadcast view; DTypeError for other indices or masks;
///         ShapeError for shapes that do not fit.
#pragma once

#include <cstdint>
#include <vector>

#include "array.h"

namespace gaia {

// By indices

/// The elements of x, read as one row in row-major order, at `indices`: the shape of `indices`.
Array take(const Array& x, const Array& indices);

/// y[..., i, ...] = x[..., indices[i], ...]: the shape of `indices` stands where `axis` was.
Array take(const Array& x, const Array& indices, std::int64_t axis);

/// y[..., i, ...] = x[..., indices[..., i, ...], ...] along `axis`.  x and `indices` have the same
/// rank and broadcast along the other axes, as in NumPy.
Array take_along_axis(const Array& x, const Array& indices, std::int64_t axis);

/// The same as take_along_axis, but `indices` may be shorter than x along the other axes, where it
/// then reads the first positions; it never repeats.  The shape is that of `indices` (PyTorch's
/// gather, ONNX's GatherElements).
Array gather(const Array& x, const Array& indices, std::int64_t axis);

/// target[..., indices[i], ...] += values[..., i, ...]: indices that come twice add twice, in
/// order (NumPy's add.at along an axis).  `values` broadcasts to the shape of
/// take(target, indices, axis) and is cast to the target's dtype.
void index_add(const Array& target, const Array& indices, const Array& values,
               std::int64_t axis = 0);

/// target[..., indices[i], ...] = values[..., i, ...]; of an index that comes twice, the last
/// counts.
void index_assign(const Array& target, const Array& indices, const Array& values,
                  std::int64_t axis = 0);

/// target[..., indices[..., i, ...], ...] += values[..., i, ...] along `axis`; repeated indices add
/// up in order.  `indices` as in gather; `values` broadcasts to its shape.
void scatter_add(const Array& target, const Array& indices, const Array& values, std::int64_t axis);

/// target[..., indices[..., i, ...], ...] = values[..., i, ...] along `axis`; of repeated indices
/// the last counts.  `indices` broadcasts along the other axes as in take_along_axis, `values` to
/// that shape.
void put_along_axis(const Array& target, const Array& indices, const Array& values,
                    std::int64_t axis);

/// y[..., c] = 1 where c = indices[...], else 0: a last axis of length `classes` is added.
/// \throws ArgumentError for an index below 0 or not below `classes`.
Array one_hot(const Array& indices, std::int64_t classes, DType dtype = DType::float32);

// By masks: bool arrays of x's shape, or of the shape of its leading axes.

/// x[mask]: the elements (or, for a mask of leading axes, the sub-arrays) where the mask is true,
/// in row-major order: [count, remaining axes of x].
Array masked_select(const Array& x, const Array& mask);

/// target[mask] = values: `values` broadcasts to the shape of masked_select(target, mask) and is
/// cast.
void masked_assign(const Array& target, const Array& mask, const Array& values);

/// Sets the elements of `target` where the mask is true.
void masked_fill(const Array& target, const Array& mask, double value);

/// The positions where x is not 0 (NaN is not 0), in row-major order: one int64 array per axis.
/// \throws ShapeError for a 0-d array.
std::vector<Array> nonzero(const Array& x);

/// The same as rows [count, rank]; int64.
Array argwhere(const Array& x);

/// The same as positions in row-major order: [count], int64.
Array flatnonzero(const Array& x);

}  // namespace gaia
