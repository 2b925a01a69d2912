// SPDX-License-Identifier: MIT
#include "batches.h"

#include <limits>
#include <string>

#include "../array/create.h"
#include "../array/operands.h"
#include "../core/message.h"

namespace gaia::linear_algebra {
namespace {

int side_of(std::int64_t length, const char* function) {
  if (length > std::numeric_limits<int>::max()) {
    fail<ShapeError>("[{}] expected at most {} rows and columns, got {}", function,
                     std::numeric_limits<int>::max(), length);
  }
  return static_cast<int>(length);
}

Shape leading_of(const Shape& shape) {
  Shape leading = shape;
  leading.erase(leading.rank() - 1);
  leading.erase(leading.rank() - 1);
  return leading;
}

void check_matrices(const Array& x, const char* function) {
  if (x.rank() < 2) {
    fail<ShapeError>("[{}] expected matrices [..., m, n], got shape {}", function, x.shape());
  }
}

Shape with(const Shape& leading, std::int64_t last) {
  Shape shape = leading;
  shape.push_back(last);
  return shape;
}

}  // namespace

Array Matrices::matrices() const {
  return columns.swapaxes(-1, -2).contiguous().reshape(with(with(leading, rows), width));
}

Matrices copy_matrices(const Array& x, const Shape& leading, DType dtype, const char* function) {
  check_matrices(x, function);
  const std::int64_t m = x.shape(-2);
  const std::int64_t n = x.shape(-1);
  Array numbers = on_current_device(x, function).astype(dtype).swapaxes(-1, -2);
  const std::int64_t count = count_elements(leading);
  numbers = numbers.broadcast_to(with(with(leading, n), m)).copy().reshape({count, n, m});
  return {.columns = numbers,
          .leading = leading,
          .count = count,
          .rows = side_of(m, function),
          .width = side_of(n, function)};
}

Matrices copy_matrices(const Array& x, const char* function) {
  check_matrices(x, function);
  return copy_matrices(x, leading_of(x.shape()), floating_result(x.dtype()), function);
}

Matrices copy_square(const Array& x, const char* function) {
  check_matrices(x, function);
  if (x.shape(-1) != x.shape(-2)) {
    fail<ShapeError>("[{}] expected square matrices [..., n, n], got shape {}", function,
                     x.shape());
  }
  return copy_matrices(x, function);
}

Matrices new_matrices(const Shape& leading, std::int64_t rows, std::int64_t width, DType dtype) {
  const std::int64_t count = count_elements(leading);
  return {.columns = zeros({count, width, rows}, dtype),
          .leading = leading,
          .count = count,
          .rows = static_cast<int>(rows),
          .width = static_cast<int>(width)};
}

Array new_vectors(const Shape& leading, std::int64_t length, DType dtype) {
  return zeros(with(leading, length), dtype);
}

std::string which_matrix(std::int64_t i, std::int64_t count) {
  return count == 1 ? "the matrix" : message("matrix {} of the batch", i);
}

}  // namespace gaia::linear_algebra
