// SPDX-License-Identifier: MIT
/// \file
/// Windows that slide over images, as columns of a matrix, and back (im2col and col2im).
///
/// Shapes and names are PyTorch's.
/// \throws ShapeError for shapes that do not fit, ArgumentError for options out of range.
#pragma once

#include "../formulas/sliding.h"
#include "array.h"

namespace gaia {

/// Each window of x [N, C, H, W] (or [C, H, W]), in row-major order of where it stands, as one
/// column: [N, C kh kw, H' W'], with y[n, (c kh + a) kw + b, i W' + j] =
/// x[n, c, i s - p + a d, j s - p + b d], 0 in the padding, and H', W' as in conv2d.
Array unfold(const Array& x, const SlidingWindow& window);

/// The reverse: columns [N, C kh kw, H' W'] (or [C kh kw, H' W']) added up where their windows
/// stood in an image of `size`: [N, C, H, W].  fold(unfold(x)) is x times the number of windows
/// that see each element.
Array fold(const Array& columns, const Pair& size, const SlidingWindow& window);

}  // namespace gaia
