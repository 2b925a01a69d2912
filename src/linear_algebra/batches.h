// SPDX-License-Identifier: MIT
/// \file
/// Batches of matrices in host memory, column by column, as decompositions take them; not for
/// users.
#pragma once

#include <cstdint>

#include "../array/array.h"
#include "../core/parallel.h"

namespace gaia::linear_algebra {

/// Copies of the matrices x [..., m, n], which may be written to.
struct Matrices {
  Array columns;           ///< [count, n, m], contiguous
  Shape leading;           ///< Axes before the last two
  std::int64_t count = 1;  ///< Number of matrices
  int rows = 0;            ///< m
  int width = 0;           ///< n

  template <class T>
  T* at(std::int64_t i) const {
    return columns.elements<T>().data() + i * rows * width;
  }
  /// x again: [leading..., m, n].
  Array matrices() const;
};

/// x on the CPU, in the floating dtype that its own gives.  \throws ShapeError for fewer than two
/// axes, and for a side that LAPACK's 32 bits cannot count.
Matrices copy_matrices(const Array& x, const char* function);
/// The same for square matrices.
Matrices copy_square(const Array& x, const char* function);
/// The same, repeated for a batch with these leading axes, in `dtype`.
Matrices copy_matrices(const Array& x, const Shape& leading, DType dtype, const char* function);
/// Zeros.
Matrices new_matrices(const Shape& leading, std::int64_t rows, std::int64_t width, DType dtype);
/// Vectors [leading..., n] in the order of the matrices.
Array new_vectors(const Shape& leading, std::int64_t length, DType dtype);

/// Calls f(T{}, i) for all matrices, shared among threads; T is float or double.
template <class F>
void for_each_matrix(DType dtype, std::int64_t count, const F& f) {
  parallel_for(count, [&](std::int64_t i) {
    if (dtype == DType::float64) {
      f(double{}, i);
    } else {
      f(float{}, i);
    }
  });
}

/// "the matrix", or "matrix 3 of the batch".
std::string which_matrix(std::int64_t i, std::int64_t count);

}  // namespace gaia::linear_algebra
