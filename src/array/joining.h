// SPDX-License-Identifier: MIT
/// \file
/// Putting arrays together, taking them apart, turning them around and repeating them.
#pragma once

#include <cstdint>
#include <vector>

#include "array.h"

namespace gaia {

/// Joins arrays along an axis that exists.  Dtypes promote.
/// \throws ArgumentError for no arrays, ShapeError unless all other axes are alike.
Array concatenate(const std::vector<Array>& arrays, std::int64_t axis = 0);

/// Joins arrays of one shape along a new axis.
/// \throws ArgumentError for no arrays, ShapeError unless all have the same shape.
Array stack(const std::vector<Array>& arrays, std::int64_t axis = 0);

/// `sections` views of equal length along `axis`.
/// \throws ArgumentError if `sections` is not positive, ShapeError unless it divides the length.
std::vector<Array> split(const Array& x, std::int64_t sections, std::int64_t axis = 0);

/// Views cut before each of `positions` along `axis`: x[:p0], x[p0:p1], ..., x[pn:], positions
/// being read as those of a slice.
std::vector<Array> split_at(const Array& x, const std::vector<std::int64_t>& positions,
                            std::int64_t axis = 0);

/// A view that runs backwards along `axes` (all of them if empty).
Array flip(const Array& x, const Axes& axes = {});

/// Element i moves to i + shift along `axis`; what leaves at one end enters at the other.  Without
/// an axis, over the elements in row-major order.
Array roll(const Array& x, std::int64_t shift);
Array roll(const Array& x, std::int64_t shift, std::int64_t axis);

/// Each element `count` times in a row, along `axis`, or over the elements in row-major order,
/// 1-d.  \throws ArgumentError for a negative count.
Array repeat(const Array& x, std::int64_t count);
Array repeat(const Array& x, std::int64_t count, std::int64_t axis);

/// The whole of x `counts[i]` times along axis i.  The shorter of shape and counts is filled up
/// with ones at its front.  \throws ArgumentError for a negative count.
Array tile(const Array& x, const Dims& counts);

}  // namespace gaia
