// SPDX-License-Identifier: MIT
/// \file
/// Products of matrices in the vectors of the processor, on one thread.
///
/// The right matrix is packed so that a panel of its columns is read in one go; a tile of rows
/// times such a panel keeps its sums in registers (Goto & van de Geijn, 2008, ACM TOMS 34, 12).
/// Every element of the result is summed in the order of k, in blocks, wherever it lies, so results
/// do not depend on how a product is cut into tasks.
#pragma once

#include <cstdint>

#include "../instruction_set.h"

namespace gaia::cpu {

/// A matrix whose element (i, j) lies at data[i * row_stride + j * column_stride].
template <class T>
struct StridedMatrix {
  const T* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// A right matrix [rows, columns] as `pack_panels` leaves it.  A product may take its first rows or
/// columns alone.
template <class T>
struct PackedMatrix {
  T* data;
  std::int64_t rows;
  std::int64_t columns;
};

/// Panels that are packed side by side, by one task: rows of a wide matrix lie pages apart, and
/// finding a page costs more than copying what one panel has of it.
constexpr std::int64_t kPanelsTogether = 8;

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// Columns of a panel: packed matrices are cut best at multiples of it.
    template <class T> std::int64_t gemm_panel();
    /// Numbers of a packed matrix [rows, columns].
    template <class T> std::int64_t packed_numbers(std::int64_t rows, std::int64_t columns);
    /// Packs the panels [first, last) of a matrix.
    template <class T>
    void pack_panels(const StridedMatrix<T>& b, std::int64_t first, std::int64_t last, T* packed);
    /// Numbers that `multiply_packed` needs to work with.
    template <class T> std::int64_t multiply_workspace(std::int64_t depth);
    /// y [a.rows, columns of the panels [first, last)] = a b, or += a b, of the first a.columns
    /// rows of b.  y begins with the columns of panel `first`; its rows are contiguous.
    template <class T> void multiply_packed(const StridedMatrix<T>& a, const PackedMatrix<T>& b,
                                            std::int64_t first, std::int64_t last, T* y,
                                            std::int64_t y_stride, bool accumulate, T* workspace);
    /// y [a.rows, b.columns] = a b, or += a b, where b is packed into `room` on the way.
    template <class T>
    void multiply_and_pack(const StridedMatrix<T>& a, const StridedMatrix<T>& b, T* room, T* y,
                           std::int64_t y_stride, bool accumulate, T* workspace);
    /// Same as multiply_packed for few rows, without packing: b has contiguous rows, or contiguous
    /// columns where a has contiguous rows.
    template <class T> void multiply_rows(const StridedMatrix<T>& a, const StridedMatrix<T>& b,
                                          T* y, std::int64_t y_stride, bool accumulate);
    /// The same for `count` products of matrices that lie a_step and b_step apart, b with
    /// contiguous rows, and at most 256 of them; the results lie one behind the other.
    template <class T> void multiply_rows_of_each(const StridedMatrix<T>& a, std::int64_t a_step,
                                                  const StridedMatrix<T>& b, std::int64_t b_step,
                                                  T* y, std::int64_t count);
    /// y [columns, rows] = the transpose of x [rows, columns], both with contiguous rows.
    template <class T> void transpose_matrix(const T* x, std::int64_t x_stride, std::int64_t rows,
                                             std::int64_t columns, T* y, std::int64_t y_stride);)

}  // namespace gaia::cpu
