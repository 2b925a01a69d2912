// SPDX-License-Identifier: MIT
/// \file
/// Functions of every element of an array.
///
/// Floating dtypes stay (bfloat16 gives float32); integers and bool give
/// float64, except where a function says otherwise.  NaN and infinities are those of NumPy.
#pragma once

#include <cstdint>
#include <optional>

#include "../formulas/elementwise.h"
#include "array.h"
#include "scalar.h"

namespace gaia {

/// f of every element, under the names below.
Array elementwise(const Unary& f, const Array& x);

// The functions that follow, and the activations in formulas/activation.h, are those of tensors
// too.

// Arithmetic.  The first four keep integers, which wrap around; negative and sign refuse bool, as
// in NumPy, abs keeps it, and square gives int64.

auto negative(const Elementwise auto& x) { return elementwise(Negate{}, x); }
auto abs(const Elementwise auto& x) { return elementwise(Abs{}, x); }
auto sign(const Elementwise auto& x) { return elementwise(Sign{}, x); }
auto square(const Elementwise auto& x) { return elementwise(Square{}, x); }
auto sqrt(const Elementwise auto& x) { return elementwise(Sqrt{}, x); }
auto rsqrt(const Elementwise auto& x) { return elementwise(Rsqrt{}, x); }
auto reciprocal(const Elementwise auto& x) { return elementwise(Reciprocal{}, x); }

// Exponentials and logarithms

auto exp(const Elementwise auto& x) { return elementwise(Exp{}, x); }
auto exp2(const Elementwise auto& x) { return elementwise(Exp2{}, x); }
auto expm1(const Elementwise auto& x) { return elementwise(Expm1{}, x); }
auto log(const Elementwise auto& x) { return elementwise(Log{}, x); }
auto log2(const Elementwise auto& x) { return elementwise(Log2{}, x); }
auto log10(const Elementwise auto& x) { return elementwise(Log10{}, x); }
auto log1p(const Elementwise auto& x) { return elementwise(Log1p{}, x); }

// Circular (in radians) and hyperbolic functions

auto sin(const Elementwise auto& x) { return elementwise(Sin{}, x); }
auto cos(const Elementwise auto& x) { return elementwise(Cos{}, x); }
auto tan(const Elementwise auto& x) { return elementwise(Tan{}, x); }
auto arcsin(const Elementwise auto& x) { return elementwise(Arcsin{}, x); }
auto arccos(const Elementwise auto& x) { return elementwise(Arccos{}, x); }
auto arctan(const Elementwise auto& x) { return elementwise(Arctan{}, x); }
auto sinh(const Elementwise auto& x) { return elementwise(Sinh{}, x); }
auto cosh(const Elementwise auto& x) { return elementwise(Cosh{}, x); }
auto tanh(const Elementwise auto& x) { return elementwise(Tanh{}, x); }
auto arcsinh(const Elementwise auto& x) { return elementwise(Arcsinh{}, x); }
auto arccosh(const Elementwise auto& x) { return elementwise(Arccosh{}, x); }
auto arctanh(const Elementwise auto& x) { return elementwise(Arctanh{}, x); }
auto erf(const Elementwise auto& x) { return elementwise(Erf{}, x); }
auto erfc(const Elementwise auto& x) { return elementwise(Erfc{}, x); }

// Rounding; integers and bool stay as they are.

auto floor(const Elementwise auto& x) { return elementwise(Floor{}, x); }
auto ceil(const Elementwise auto& x) { return elementwise(Ceil{}, x); }
auto trunc(const Elementwise auto& x) { return elementwise(Trunc{}, x); }
/// To a multiple of 10^-decimals, halves to the even one.
Array round(const Array& x, int decimals = 0);
/// Within [low, high]; either may be left out ({}).  NaN if any of the three is; `high` where
/// low > high.  Dtypes as in maximum and minimum.
Array clip(const Array& x, std::optional<Scalar> low, std::optional<Scalar> high);

// Questions: bool.

Array isnan(const Array& x);
Array isinf(const Array& x);
Array isfinite(const Array& x);
Array logical_not(const Array& x);  ///< x == 0; NaN is not 0.

// Activations, beside those of single numbers

/// exp(x - max) / sum of the same, along `axis`.  \throws ShapeError if that axis is empty.
Array softmax(const Array& x, std::int64_t axis = -1);
/// The logarithm of softmax, which keeps its digits where softmax is near 0 or 1.
Array log_softmax(const Array& x, std::int64_t axis = -1);

/// f(x), softmax along the last axis.  Linear: x itself.
Array activate(Activation f, const Array& x);
/// The same into y, which may be x itself: of its shape, dtype (float32 or float64) and device.
void activate(Activation f, const Array& x, const Array& y);

}  // namespace gaia
