// SPDX-License-Identifier: MIT
/// \file
/// Functions of every element of an array.
///
/// Floating dtypes stay (bfloat16 gives float32); integers and bool give
/// float64, except where a function says otherwise.  NaN and infinities are those of NumPy.
#pragma once

#include <cstdint>
#include <optional>

#include "../formulas/activation.h"
#include "array.h"
#include "scalar.h"

namespace gaia {

// Arithmetic.  The first four keep integers, which wrap around; negative and sign refuse bool, as
// in NumPy, abs keeps it, and square gives int64.

Array negative(const Array& x);
Array abs(const Array& x);
Array sign(const Array& x);  ///< -1, 0 or 1; NaN stays NaN.
Array square(const Array& x);
Array sqrt(const Array& x);
Array rsqrt(const Array& x);  ///< 1 / sqrt(x).
Array reciprocal(const Array& x);

// Exponentials and logarithms

Array exp(const Array& x);
Array exp2(const Array& x);   ///< 2^x.
Array expm1(const Array& x);  ///< exp(x) - 1, accurate near 0.
Array log(const Array& x);
Array log2(const Array& x);
Array log10(const Array& x);
Array log1p(const Array& x);  ///< log(1 + x), accurate near 0.

// Circular (in radians) and hyperbolic functions

Array sin(const Array& x);
Array cos(const Array& x);
Array tan(const Array& x);
Array arcsin(const Array& x);
Array arccos(const Array& x);
Array arctan(const Array& x);
Array sinh(const Array& x);
Array cosh(const Array& x);
Array tanh(const Array& x);
Array arcsinh(const Array& x);
Array arccosh(const Array& x);
Array arctanh(const Array& x);
Array erf(const Array& x);   ///< 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
Array erfc(const Array& x);  ///< 1 - erf(x), accurate where that is small.

// Rounding; integers and bool stay as they are.

Array floor(const Array& x);
Array ceil(const Array& x);
/// To a multiple of 10^-decimals, halves to the even one.
Array round(const Array& x, int decimals = 0);
Array trunc(const Array& x);
/// Within [low, high]; either may be left out ({}).  NaN if any of the three is; `high` where
/// low > high.  Dtypes as in maximum and minimum.
Array clip(const Array& x, std::optional<Scalar> low, std::optional<Scalar> high);

// Questions: bool.

Array isnan(const Array& x);
Array isinf(const Array& x);
Array isfinite(const Array& x);
Array logical_not(const Array& x);  ///< x == 0; NaN is not 0.

// Activations

Array sigmoid(const Array& x);      ///< 1 / (1 + exp(-x)).
Array log_sigmoid(const Array& x);  ///< log of the same.
Array relu(const Array& x);         ///< max(x, 0).
Array leaky_relu(const Array& x, double negative_slope = 0.01);
/// x for x > 0, alpha (exp(x) - 1) below.
/// Clevert, Unterthiner & Hochreiter (2016), arXiv:1511.07289.
Array elu(const Array& x, double alpha = 1.0);
/// elu whose two constants keep mean 0 and variance 1 from layer to layer.
/// Klambauer, Unterthiner, Mayr & Hochreiter (2017), arXiv:1706.02515.
Array selu(const Array& x);
/// log(1 + exp(beta x)) / beta, and x itself where beta x > threshold.  \throws ArgumentError for a
/// beta that the dtype rounds to 0 or infinity.
Array softplus(const Array& x, double beta = 1.0, double threshold = 20.0);
Array silu(const Array& x);  ///< x sigmoid(x).

/// x Phi(x), Phi being the normal distribution function: in its tanh form, or exact.
/// Hendrycks & Gimpel (2016), arXiv:1606.08415.
Array gelu(const Array& x, GeluForm form = GeluForm::tanh);

/// exp(x - max) / sum of the same, along `axis`.  \throws ShapeError if that axis is empty.
Array softmax(const Array& x, std::int64_t axis = -1);
/// The logarithm of softmax, which keeps its digits where softmax is near 0 or 1.
Array log_softmax(const Array& x, std::int64_t axis = -1);

/// f(x), softmax along the last axis.  Linear: x itself.
Array activate(Activation f, const Array& x);
/// The same into y, which may be x itself: of its shape, dtype (float32 or float64) and device.
void activate(Activation f, const Array& x, const Array& y);

}  // namespace gaia
