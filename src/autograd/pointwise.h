// SPDX-License-Identifier: MIT
/// \file
/// Functions of one, two or three numbers, for every element of tensors.
///
/// Values are those of the functions of arrays with the same names.  Where one has no slope, the
/// gradient is PyTorch's: 0 for abs, relu and elu's relatives at their kink as their functors say,
/// half each where maximum or minimum meet equals, 1 at both bounds of clip, 0 for sign, floor,
/// ceil, round and trunc everywhere.
#pragma once

#include <optional>

#include "../array/ops.h"
#include "tensor.h"

namespace gaia {

// One number

/// f of every element: with it the functions of one number in array/functions.h and the activations
/// in formulas/activation.h are those of tensors too.
Tensor elementwise(const Unary& f, const Tensor& x);

Tensor round(const Tensor& x, int decimals = 0);
Tensor clip(const Tensor& x, std::optional<Scalar> low, std::optional<Scalar> high);

/// f(x), softmax along the last axis.  Linear: x itself.
Tensor activate(Activation f, const Tensor& x);

Tensor astype(const Tensor& x, DType dtype);

// Two numbers; shapes broadcast, dtypes promote, and the gradients are summed and cast back.

Tensor add(const Tensor& a, const Tensor& b);
Tensor subtract(const Tensor& a, const Tensor& b);
Tensor multiply(const Tensor& a, const Tensor& b);
Tensor divide(const Tensor& a, const Tensor& b);
/// a^b.  d/da is 0 where b = 0, d/db is 0 where a = 0 and b >= 0.
Tensor power(const Tensor& a, const Tensor& b);
/// Flat wherever it has a slope.
Tensor floor_divide(const Tensor& a, const Tensor& b);
/// d/da is 1, d/db is -floor_divide(a, b).
Tensor remainder(const Tensor& a, const Tensor& b);
/// d/da is 1, d/db is -trunc(a / b).
Tensor fmod(const Tensor& a, const Tensor& b);
Tensor maximum(const Tensor& a, const Tensor& b);
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor arctan2(const Tensor& a, const Tensor& b);
Tensor hypot(const Tensor& a, const Tensor& b);
Tensor logaddexp(const Tensor& a, const Tensor& b);

Tensor weighted_sum(Scalar p, const Tensor& a, Scalar q, const Tensor& b);

Tensor add(const Tensor& a, Scalar b);
Tensor subtract(const Tensor& a, Scalar b);
Tensor subtract(Scalar a, const Tensor& b);
Tensor multiply(const Tensor& a, Scalar b);
Tensor divide(const Tensor& a, Scalar b);
Tensor divide(Scalar a, const Tensor& b);
Tensor power(const Tensor& a, Scalar b);
Tensor power(Scalar a, const Tensor& b);
Tensor floor_divide(const Tensor& a, Scalar b);
Tensor floor_divide(Scalar a, const Tensor& b);
Tensor remainder(const Tensor& a, Scalar b);
Tensor remainder(Scalar a, const Tensor& b);
Tensor fmod(const Tensor& a, Scalar b);
Tensor fmod(Scalar a, const Tensor& b);
Tensor maximum(const Tensor& a, Scalar b);
Tensor minimum(const Tensor& a, Scalar b);

/// a where `condition` holds, elsewhere b.
Tensor where(const Array& condition, const Tensor& a, const Tensor& b);
Tensor where(const Array& condition, const Tensor& a, Scalar b);
Tensor where(const Array& condition, Scalar a, const Tensor& b);

inline Tensor operator-(const Tensor& x) { return negative(x); }
inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return subtract(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return multiply(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return divide(a, b); }
inline Tensor operator+(const Tensor& a, Scalar b) { return add(a, b); }
inline Tensor operator+(Scalar a, const Tensor& b) { return add(b, a); }
inline Tensor operator-(const Tensor& a, Scalar b) { return subtract(a, b); }
inline Tensor operator-(Scalar a, const Tensor& b) { return subtract(a, b); }
inline Tensor operator*(const Tensor& a, Scalar b) { return multiply(a, b); }
inline Tensor operator*(Scalar a, const Tensor& b) { return multiply(b, a); }
inline Tensor operator/(const Tensor& a, Scalar b) { return divide(a, b); }
inline Tensor operator/(Scalar a, const Tensor& b) { return divide(a, b); }
/// Python's %: remainder.
inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator%(const Tensor& a, Scalar b) { return remainder(a, b); }
inline Tensor operator%(Scalar a, const Tensor& b) { return remainder(a, b); }

}  // namespace gaia
