// SPDX-License-Identifier: MIT
/// \file
/// What functions of arrays, and those who differentiate them, are made of; for those who build on
/// arrays, not for users.  `function` is named in errors.
#pragma once

#include "../formulas/elementwise.h"
#include "array.h"
#include "operands.h"
#include "scalar.h"

namespace gaia {

/// f of every element, in `dtype`.
Array apply(const Unary& f, const Array& x, DType dtype, const char* function);

/// The same in floating_result of x's dtype: integers and bool give float64.
Array apply(const Unary& f, const Array& x, const char* function);

/// y = f(x), of one shape, dtype and device, which f computes in; y may be x.
void apply(const Unary& f, const Array& x, const Array& y);

/// dy f'(x), for y = f(x), in one pass: the gradient by x, if dy is the one by y.
/// x and y: same shape and floating dtype; dy broadcasts to it and is cast.
/// \throws ShapeError, DTypeError.
Array unary_gradient(const Unary& f, const Array& x, const Array& y, const Array& dy);

/// f of every pair, broadcast, in `dtype`.
Array apply(const Binary& f, const Array& a, const Array& b, DType dtype, const char* function);

/// Whether the relation holds, for every pair, broadcast: bool.
Array compare(const Comparison& f, const Array& a, const Array& b, const char* function);

/// The dtype that the scalar takes beside an array of `dtype`.
/// \throws ArgumentError if that is int32 and does not hold it.
DType dtype_beside(DType dtype, Scalar scalar, const char* function);

/// The scalar as a 0-d array of the dtype that it takes beside `x`.
/// \throws ArgumentError if that is int32 and does not hold it.
Array beside(const Array& x, Scalar scalar, const char* function);

}  // namespace gaia
