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

#include "../core/random.h"
#include "array.h"

namespace gaia {

Array zeros(const Shape& shape, DType dtype = DType::float32);
Array ones(const Shape& shape, DType dtype = DType::float32);
Array full(const Shape& shape, double value, DType dtype = DType::float32);
Array zeros_like(const Array& x);
Array ones_like(const Array& x);

/// Ones on the diagonal: [rows, columns]; columns = rows if 0.
Array eye(std::int64_t rows, std::int64_t columns = 0, DType dtype = DType::float32);

/// start, start + step, ... before stop.  \throws ArgumentError if step is 0.
Array arange(double start, double stop, double step = 1.0, DType dtype = DType::float32);
Array arange(std::int64_t stop);  ///< 0 ... stop - 1, int64.

/// `count` numbers from start to stop, both included.
Array linspace(double start, double stop, std::int64_t count, DType dtype = DType::float32);

/// A copy of host values in row-major order.  T is one of the dtypes' types.
/// \throws ShapeError unless there are as many values as `shape` has elements.
template <class T>
Array from_values(std::span<const T> values, const Shape& shape);
template <class T>
Array from_values(const std::vector<T>& values, const Shape& shape) {
  return from_values(std::span<const T>(values), shape);
}

/// A number in a list that is written out.  (With plain doubles {{1}, {2}} could be either list.)
struct Number {
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Number(T number) : value(static_cast<double>(number)) {}
  double value;
};

/// 1-d and 2-d arrays of numbers written out.  \throws ShapeError if rows differ in length.
Array array(std::initializer_list<Number> values, DType dtype = DType::float32);
Array array(std::initializer_list<std::initializer_list<double>> rows,
            DType dtype = DType::float32);

/// Numbers from a stream of its own: uniform in [low, high), or normal.  float32 or float64; the
/// same stream gives the same numbers on every device.
/// \throws ArgumentError if a parameter is not finite or the deviation negative, DTypeError.
Array random_uniform(const Shape& shape, double low = 0.0, double high = 1.0,
                     DType dtype = DType::float32, RandomStream stream = next_stream());
Array random_normal(const Shape& shape, double mean = 0.0, double deviation = 1.0,
                    DType dtype = DType::float32, RandomStream stream = next_stream());

}  // namespace gaia
