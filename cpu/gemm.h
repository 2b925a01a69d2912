// SPDX-License-Identifier: MIT
/// \file
/// Matrix products on plain pointers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../src/array/backend.h"
#include "vector/gemm.h"

namespace gaia::cpu {

/// A matrix in memory: element (i, j) lies at data[i * row_stride + j * column_stride], and one of
/// the strides is 1 (or the matrix has a single row or column).
template <class T>
struct MatrixRef {
  T* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
  std::int64_t column_stride = 1;

  MatrixRef transposed() const { return {data, columns, rows, column_stride, row_stride}; }
  MatrixRef rows_between(std::int64_t first, std::int64_t last) const {
    return {data + first * row_stride, last - first, columns, row_stride, column_stride};
  }
  MatrixRef columns_between(std::int64_t first, std::int64_t last) const {
    return {data + first * column_stride, rows, last - first, row_stride, column_stride};
  }
};

/// [0, length) cut into pieces that differ by one unit at most, so that threads have as much to do;
/// `pieces` is at least 1 and at most the number of units.
struct EvenPieces {
  std::int64_t length;
  std::int64_t unit;
  std::int64_t pieces;

  std::int64_t begin(std::int64_t piece) const {
    const std::int64_t units = (length + unit - 1) / unit;
    return std::min(length, units * piece / pieces * unit);
  }
  std::int64_t end(std::int64_t piece) const { return begin(piece + 1); }
};

/// An even number of pieces, where there is more than one, of about `most` each.
inline std::int64_t even_number_of_pieces(std::int64_t length, std::int64_t most) {
  const std::int64_t pieces = (length + most - 1) / most;
  return pieces > 1 ? (pieces + 1) / 2 * 2 : 1;
}

/// Rows and columns that tiles of every instruction set divide.
constexpr std::int64_t kRowUnit = 8;
constexpr std::int64_t kColumnUnit = 48;

/// y = a b, or y += a b, on this thread.  y has column_stride 1.
template <class T>
void gemm(const MatrixRef<const T>& a, const MatrixRef<const T>& b, const MatrixRef<T>& y,
          bool accumulate = false);

extern template void gemm(const MatrixRef<const float>&, const MatrixRef<const float>&,
                          const MatrixRef<float>&, bool);
extern template void gemm(const MatrixRef<const double>&, const MatrixRef<const double>&,
                          const MatrixRef<double>&, bool);

/// Room for a right matrix that is packed once for many products, in numbers.
template <class T>
std::int64_t packed_room(std::int64_t rows, std::int64_t columns);

/// Packs b there.
template <class T>
PackedMatrix<T> pack(const MatrixRef<const T>& b, T* room);

/// y = a b, or y += a b, on this thread, of the first a.columns rows and y.columns columns of b.
/// y has column_stride 1.
template <class T>
void gemm(const MatrixRef<const T>& a, const PackedMatrix<T>& b, const MatrixRef<T>& y,
          bool accumulate = false);

#define GAIA_PACKED(T)                                                         \
  extern template std::int64_t packed_room<T>(std::int64_t, std::int64_t);     \
  extern template PackedMatrix<T> pack(const MatrixRef<const T>&, T*);         \
  extern template void gemm(const MatrixRef<const T>&, const PackedMatrix<T>&, \
                            const MatrixRef<T>&, bool);
GAIA_PACKED(float)
GAIA_PACKED(double)
#undef GAIA_PACKED

/// Whether a product [rows, depth] [depth, columns] is large enough for the one below.
bool pays_in_parallel(std::int64_t rows, std::int64_t depth, std::int64_t columns);

/// y = a b on all threads.
template <class T>
void gemm_in_parallel(Backend& backend, const MatrixRef<const T>& a, const MatrixRef<const T>& b,
                      const MatrixRef<T>& y);

extern template void gemm_in_parallel(Backend&, const MatrixRef<const float>&,
                                      const MatrixRef<const float>&, const MatrixRef<float>&);
extern template void gemm_in_parallel(Backend&, const MatrixRef<const double>&,
                                      const MatrixRef<const double>&, const MatrixRef<double>&);

}  // namespace gaia::cpu
