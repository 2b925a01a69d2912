// SPDX-License-Identifier: MIT
/// \file
/// Arithmetic on arrays.
///
/// Every function returns a new array on the calling thread's current device and leaves its
/// arguments alone; arguments that live elsewhere are copied there (`device.h`).  Shapes broadcast
/// and dtypes promote as in NumPy; a number written as a Scalar does not widen a floating array.
/// bfloat16 is answered in float32.
/// \throws ShapeError or DTypeError: "[function] what was expected, what came".
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "activation.h"
#include "array.h"

namespace gaia {

/// A number beside an array: it takes the array's dtype (beside bool, int64), except that a
/// floating number beside integers gives float64.
struct Scalar {
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T number) : value(static_cast<double>(number)), floating(!fits_int64(number)) {
    if (!floating) integer = static_cast<std::int64_t>(number);
  }

  double value;
  bool floating;             ///< Or beyond int64.
  std::int64_t integer = 0;  ///< The same number, exactly, unless `floating`.

 private:
  template <class T>
  static constexpr bool fits_int64(T number) {
    if constexpr (std::is_floating_point_v<T>) {
      return false;
    } else if constexpr (std::is_signed_v<T>) {
      return true;
    } else {
      return number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    }
  }
};

// One number at a time

Array negative(const Array& x);
Array abs(const Array& x);
Array sign(const Array& x);
Array square(const Array& x);
Array sqrt(const Array& x);  ///< This and the following answer integers in float64.
Array exp(const Array& x);
Array log(const Array& x);
Array tanh(const Array& x);
Array sigmoid(const Array& x);  ///< 1 / (1 + exp(-x))
Array relu(const Array& x);     ///< max(x, 0)
Array leaky_relu(const Array& x, double negative_slope = 0.01);

/// x Phi(x), Phi being the normal distribution function: in its tanh form, or exact.
/// Hendrycks & Gimpel (2016), arXiv:1606.08415.
enum class GeluForm { tanh, exact };
Array gelu(const Array& x, GeluForm form = GeluForm::tanh);

/// exp(x - max) / sum of the same, along `axis`.  \throws ShapeError if that axis is empty.
Array softmax(const Array& x, std::int64_t axis = -1);

/// f(x), softmax along the last axis.  Linear: x itself.
Array activate(Activation f, const Array& x);

// Two arrays

Array add(const Array& a, const Array& b);
Array subtract(const Array& a, const Array& b);
Array multiply(const Array& a, const Array& b);
Array divide(const Array& a, const Array& b);   ///< Of integers: float64.
Array maximum(const Array& a, const Array& b);  ///< NaN if either is.
Array minimum(const Array& a, const Array& b);
Array equal(const Array& a, const Array& b);  ///< This and the following: dtype bool.
Array not_equal(const Array& a, const Array& b);
Array less(const Array& a, const Array& b);
Array less_equal(const Array& a, const Array& b);

Array add(const Array& a, Scalar b);
Array subtract(const Array& a, Scalar b);
Array subtract(Scalar a, const Array& b);
Array multiply(const Array& a, Scalar b);
Array divide(const Array& a, Scalar b);
Array divide(Scalar a, const Array& b);

inline Array operator-(const Array& x) { return negative(x); }
inline Array operator+(const Array& a, const Array& b) { return add(a, b); }
inline Array operator-(const Array& a, const Array& b) { return subtract(a, b); }
inline Array operator*(const Array& a, const Array& b) { return multiply(a, b); }
inline Array operator/(const Array& a, const Array& b) { return divide(a, b); }
inline Array operator+(const Array& a, Scalar b) { return add(a, b); }
inline Array operator+(Scalar a, const Array& b) { return add(b, a); }
inline Array operator-(const Array& a, Scalar b) { return subtract(a, b); }
inline Array operator-(Scalar a, const Array& b) { return subtract(a, b); }
inline Array operator*(const Array& a, Scalar b) { return multiply(a, b); }
inline Array operator*(Scalar a, const Array& b) { return multiply(b, a); }
inline Array operator/(const Array& a, Scalar b) { return divide(a, b); }
inline Array operator/(Scalar a, const Array& b) { return divide(a, b); }

// Along axes: all of them if `axes` is empty; negative ones count from the end.  With keep_dims the
// reduced axes stay, with length 1.

Array sum(const Array& x, const Axes& axes = {}, bool keep_dims = false);   ///< Integers: int64.
Array mean(const Array& x, const Axes& axes = {}, bool keep_dims = false);  ///< NaN of nothing.
Array max(const Array& x, const Axes& axes = {}, bool keep_dims = false);   ///< NaN if any is.
Array min(const Array& x, const Axes& axes = {}, bool keep_dims = false);
/// sqrt(sum x^2).
Array norm(const Array& x, const Axes& axes = {}, bool keep_dims = false);

/// Matrix product over the last two axes, [..., m, k] by [..., k, n] gives [..., m, n]; a 1-d
/// argument is a row on the left, a column on the right, and that axis disappears.  Leading axes
/// broadcast.  Floating; integers are answered in float64.
Array matmul(const Array& a, const Array& b);

/// Joins arrays along an axis that exists.
Array concatenate(const std::vector<Array>& arrays, std::int64_t axis = 0);

// Questions, answered on the host

/// |a - b| <= absolute + relative |b| for all elements; NaN equals nothing.
bool all_close(const Array& a, const Array& b, double relative = 1e-5, double absolute = 1e-8);
/// Row-major index of the first element that is NaN or infinite, or -1.
std::int64_t first_not_finite(const Array& x);

}  // namespace gaia
