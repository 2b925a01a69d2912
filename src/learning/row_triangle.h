// SPDX-License-Identifier: MIT
/// \file
/// The triangular factor of rows that come in blocks: sums of squares without squaring what they
/// lose.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gaia {

/// R of A = Q R for a matrix A whose rows come block by block, by Householder reflections of R and
/// the next rows together (Golub & Van Loan 2013, Matrix Computations, 5.2 and 6.5).  R^T R = A^T
/// A, but R has the digits that a sum of products of A has lost: its condition number is that of A,
/// not its square.  Bits do not depend on how rows are cut into blocks, nor on threads.
class RowTriangle {
 public:
  explicit RowTriangle(std::int64_t columns);

  /// Takes rows [rows, columns].
  void add(std::span<const double> rows);

  /// R [columns, columns] of all rows so far, row-major, zeros below the diagonal.  Signs of its
  /// rows are of no meaning.
  std::vector<double> triangle() const;

  std::int64_t columns() const { return columns_; }

  /// Everything from which another goes on bit for bit.
  std::vector<double> state() const;
  /// \throws ShapeError for a list of a length that no such state has.
  void set_state(std::span<const double> state);

 private:
  std::int64_t columns_;
  std::vector<double> triangle_;  // triangle of the rows that do not wait
  std::vector<double> waiting_;   // the rows since, fewer than are reflected at once
};

}  // namespace gaia
