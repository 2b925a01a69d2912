// SPDX-License-Identifier: MIT
/// \file
/// Products with weights of two bits.
#pragma once

#include "array.h"

namespace gaia {

/// y = x T^T for x [..., columns] and codes T [outputs, columns], which are -1, 0 and 1: y [...,
/// outputs], of the dtype of x, float32 or float64.  The codes stay packed: `packed` is int32
/// [outputs, ceil(columns / 16)], and word w of a row holds the columns 16 w to 16 w + 15 as digits
/// code + 1 to the base 4, the first the lowest, less 2^31.
/// \throws ShapeError if they do not fit, DTypeError for others.
Array ternary_product(const Array& x, const Array& packed);

}  // namespace gaia
