// SPDX-License-Identifier: MIT
/// \file
/// New arrays, on the calling thread's current device.
///
/// All throw ShapeError for a negative or overflowing shape and OutOfMemory where there is no room.
#pragma once

#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

#include "array.h"
#include "random_arrays.h"
#include "scalar.h"

namespace gaia {

Array zeros(const Shape& shape, DType dtype = DType::float32);
Array ones(const Shape& shape, DType dtype = DType::float32);
Array full(const Shape& shape, double value, DType dtype = DType::float32);
/// Elements that are not set.
Array empty(const Shape& shape, DType dtype = DType::float32);

// With the shape and dtype of x.

Array zeros_like(const Array& x);
Array ones_like(const Array& x);
Array full_like(const Array& x, double value);
Array empty_like(const Array& x);

/// Ones on the diagonal: [rows, columns]; columns = rows if 0.
Array eye(std::int64_t rows, std::int64_t columns = 0, DType dtype = DType::float32);

/// start, start + step, ... before stop; start = 0 and step = 1 if they are left out.  Without a
/// dtype int64 if all numbers are integers, which are then exact, else float32.
/// \throws ArgumentError if step is 0 or a number not finite.
Array arange(Scalar stop);
Array arange(Scalar start, Scalar stop, Scalar step = 1);
Array arange(Scalar start, Scalar stop, Scalar step, DType dtype);

/// `count` numbers at equal distances from start to stop, which is the last, or, without
/// `endpoint`, would be the next.  \throws ArgumentError if count is negative.
Array linspace(double start, double stop, std::int64_t count, DType dtype = DType::float32,
               bool endpoint = true);

/// base to the powers of linspace(start, stop, count).
Array logspace(double start, double stop, std::int64_t count, double base = 10.0,
               DType dtype = DType::float32);

/// A copy of host values in row-major order.  T is one of the dtypes' types.
/// \throws ShapeError unless there are as many values as `shape` has elements.
template <class T>
Array from_values(std::span<const T> values, const Shape& shape);
template <class T>
Array from_values(const std::vector<T>& values, const Shape& shape) {
  return from_values(std::span<const T>(values), shape);
}

/// Numbers written out, in as many braces as there are axes: 5, {1, 2}, {{1, 2}, {3, 4}}, ...
class NestedList {
 public:
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  NestedList(T number) : values_{Scalar(number)} {}
  /// \throws ShapeError if the items differ in shape.
  NestedList(std::initializer_list<NestedList> items);

  const Shape& shape() const { return shape_; }
  const std::vector<Scalar>& values() const { return values_; }  ///< In row-major order.

 private:
  Shape shape_;
  std::vector<Scalar> values_;
};

/// array({{1, 2}, {3, 4}}).  \throws ShapeError if rows differ in length.
Array array(const NestedList& values, DType dtype = DType::float32);

// Triangles and diagonals.  Diagonal k runs k columns to the right of the main one.

/// The elements of the last two axes on diagonal k and below; 0 elsewhere.
/// \throws ShapeError for fewer than two dimensions.
Array tril(const Array& x, std::int64_t k = 0);
/// The elements on diagonal k and above.
Array triu(const Array& x, std::int64_t k = 0);
/// A matrix with the 1-d array on its diagonal k, or diagonal k of a matrix.
Array diag(const Array& x, std::int64_t k = 0);

}  // namespace gaia
