// SPDX-License-Identifier: MIT
/// \file
/// What functions of arrays, and those who differentiate them, are made of; for those who build on
/// arrays, not for users.
#pragma once

#include "array.h"
#include "elementwise.h"

namespace gaia {

/// f of every element, on the current device: floating dtypes stay (bfloat16 gives float32),
/// integers and bool are answered in float64.  `function` is named in errors.
Array apply(const Unary& f, const Array& x, const char* function);

/// dy f'(x), for y = f(x), in one pass: the gradient by x, if dy is the one by y.
/// x and y: same shape and floating dtype; dy broadcasts to it and is cast.
/// \throws ShapeError, DTypeError.
Array unary_gradient(const Unary& f, const Array& x, const Array& y, const Array& dy);

}  // namespace gaia
