// SPDX-License-Identifier: MIT
/// \file
/// Arithmetic on arrays: all functions of them, of which those of two arrays stand here.
///
/// Every function returns a new array on the calling thread's current device and leaves its
/// arguments alone; arguments that live elsewhere are copied there (`device.h`).  Shapes broadcast
/// and dtypes promote as in NumPy; a number written as a Scalar does not widen a floating array.
/// bfloat16 gives float32.
/// \throws ShapeError or DTypeError: "[function] what was expected, what came".
#pragma once

#include <cstdint>

#include "array.h"
#include "closeness.h"
#include "functions.h"
#include "reductions.h"
#include "scalar.h"

namespace gaia {

// Arithmetic.  Integers wrap around.  Among bool, add and maximum are "or", multiply and minimum
// "and"; the rest is not defined.

Array add(const Array& a, const Array& b);
Array subtract(const Array& a, const Array& b);
Array multiply(const Array& a, const Array& b);
Array divide(const Array& a, const Array& b);  ///< Quotients of integers are float64.
/// a^b.  \throws ArgumentError for integers with a negative exponent.
Array power(const Array& a, const Array& b);
/// The largest whole number not above a / b; of integers by 0: 0.
Array floor_divide(const Array& a, const Array& b);
/// a - b floor_divide(a, b): it has the sign of b, as Python's %.  Of integers by 0: 0.
Array remainder(const Array& a, const Array& b);
/// a - b trunc(a / b): it has the sign of a, as C's.  Of integers by 0: 0.
Array fmod(const Array& a, const Array& b);
Array maximum(const Array& a, const Array& b);  ///< NaN if either is.
Array minimum(const Array& a, const Array& b);
Array arctan2(const Array& a, const Array& b);    ///< The angle of the point (b, a).
Array hypot(const Array& a, const Array& b);      ///< sqrt(a^2 + b^2).
Array logaddexp(const Array& a, const Array& b);  ///< log(exp(a) + exp(b)).

Array add(const Array& a, Scalar b);
Array subtract(const Array& a, Scalar b);
Array subtract(Scalar a, const Array& b);
Array multiply(const Array& a, Scalar b);
Array divide(const Array& a, Scalar b);
Array divide(Scalar a, const Array& b);
Array power(const Array& a, Scalar b);
Array power(Scalar a, const Array& b);
Array floor_divide(const Array& a, Scalar b);
Array floor_divide(Scalar a, const Array& b);
Array remainder(const Array& a, Scalar b);
Array remainder(Scalar a, const Array& b);
Array fmod(const Array& a, Scalar b);
Array fmod(Scalar a, const Array& b);
Array maximum(const Array& a, Scalar b);
Array minimum(const Array& a, Scalar b);

inline Array operator-(const Array& x) { return negative(x); }
inline Array operator+(const Array& a, const Array& b) { return add(a, b); }
inline Array operator+(const Array& a, Scalar b) { return add(a, b); }
inline Array operator+(Scalar a, const Array& b) { return add(b, a); }
inline Array operator-(const Array& a, const Array& b) { return subtract(a, b); }
inline Array operator-(const Array& a, Scalar b) { return subtract(a, b); }
inline Array operator-(Scalar a, const Array& b) { return subtract(a, b); }
inline Array operator*(const Array& a, const Array& b) { return multiply(a, b); }
inline Array operator*(const Array& a, Scalar b) { return multiply(a, b); }
inline Array operator*(Scalar a, const Array& b) { return multiply(b, a); }
inline Array operator/(const Array& a, const Array& b) { return divide(a, b); }
inline Array operator/(const Array& a, Scalar b) { return divide(a, b); }
inline Array operator/(Scalar a, const Array& b) { return divide(a, b); }
/// Python's %: remainder.
inline Array operator%(const Array& a, const Array& b) { return remainder(a, b); }
inline Array operator%(const Array& a, Scalar b) { return remainder(a, b); }
inline Array operator%(Scalar a, const Array& b) { return remainder(a, b); }

// In place: they change the elements of `a`, which its views share, on its device, and not its
// shape or dtype.  \throws ShapeError unless b broadcasts to a's shape, DTypeError if the result
//           would have another dtype than a, ArgumentError for a broadcast view.

const Array& operator+=(const Array& a, const Array& b);
const Array& operator-=(const Array& a, const Array& b);
const Array& operator*=(const Array& a, const Array& b);
const Array& operator/=(const Array& a, const Array& b);
const Array& operator+=(const Array& a, Scalar b);
const Array& operator-=(const Array& a, Scalar b);
const Array& operator*=(const Array& a, Scalar b);
const Array& operator/=(const Array& a, Scalar b);

/// p a + q b in one pass over memory: of the dtype of a + b, but float64 where a number is floating
/// and both arrays are integers.  Not defined for bool.
Array weighted_sum(Scalar p, const Array& a, Scalar q, const Array& b);
/// a <- p a + q b, in place.
const Array& update_weighted(Scalar p, const Array& a, Scalar q, const Array& b);

// Comparisons: bool.  NaN equals nothing, not even itself.

Array equal(const Array& a, const Array& b);
Array not_equal(const Array& a, const Array& b);
Array less(const Array& a, const Array& b);
Array less_equal(const Array& a, const Array& b);
Array greater(const Array& a, const Array& b);
Array greater_equal(const Array& a, const Array& b);
Array equal(const Array& a, Scalar b);
Array not_equal(const Array& a, Scalar b);
Array less(const Array& a, Scalar b);
Array less_equal(const Array& a, Scalar b);
Array greater(const Array& a, Scalar b);
Array greater_equal(const Array& a, Scalar b);

inline Array operator==(const Array& a, const Array& b) { return equal(a, b); }
inline Array operator==(const Array& a, Scalar b) { return equal(a, b); }
inline Array operator==(Scalar a, const Array& b) { return equal(b, a); }
inline Array operator!=(const Array& a, const Array& b) { return not_equal(a, b); }
inline Array operator!=(const Array& a, Scalar b) { return not_equal(a, b); }
inline Array operator!=(Scalar a, const Array& b) { return not_equal(b, a); }
inline Array operator<(const Array& a, const Array& b) { return less(a, b); }
inline Array operator<(const Array& a, Scalar b) { return less(a, b); }
inline Array operator<(Scalar a, const Array& b) { return greater(b, a); }
inline Array operator<=(const Array& a, const Array& b) { return less_equal(a, b); }
inline Array operator<=(const Array& a, Scalar b) { return less_equal(a, b); }
inline Array operator<=(Scalar a, const Array& b) { return greater_equal(b, a); }
inline Array operator>(const Array& a, const Array& b) { return greater(a, b); }
inline Array operator>(const Array& a, Scalar b) { return greater(a, b); }
inline Array operator>(Scalar a, const Array& b) { return less(b, a); }
inline Array operator>=(const Array& a, const Array& b) { return greater_equal(a, b); }
inline Array operator>=(const Array& a, Scalar b) { return greater_equal(a, b); }
inline Array operator>=(Scalar a, const Array& b) { return less_equal(b, a); }

// Logic: bool.  What is not 0 counts as true, NaN included.

Array logical_and(const Array& a, const Array& b);
Array logical_or(const Array& a, const Array& b);
Array logical_xor(const Array& a, const Array& b);

/// The same of masks, as NumPy writes them.  \throws DTypeError unless they are bool.
Array operator&(const Array& a, const Array& b);
Array operator|(const Array& a, const Array& b);
Array operator^(const Array& a, const Array& b);
Array operator~(const Array& x);

/// a where the condition holds (is not 0), b elsewhere.  All three broadcast; a and b promote.
Array where(const Array& condition, const Array& a, const Array& b);
Array where(const Array& condition, const Array& a, Scalar b);
Array where(const Array& condition, Scalar a, const Array& b);
/// int64 if both are integers, else float32.
Array where(const Array& condition, Scalar a, Scalar b);

/// Matrix product over the last two axes, [..., m, k] by [..., k, n] gives [..., m, n]; a 1-d
/// argument is a row on the left, a column on the right, and that axis disappears.  Leading axes
/// broadcast.  Keeps integers, which wrap around; of bool, whether any pair holds.
Array matmul(const Array& a, const Array& b);

// Questions, whose answers come to the host

/// Row-major index of the first element that is NaN or infinite, or -1.
std::int64_t first_not_finite(const Array& x);

}  // namespace gaia
