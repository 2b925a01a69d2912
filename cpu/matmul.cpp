// SPDX-License-Identifier: MIT
/// \file
/// Batches of matrix products, cut into panels of rows that threads share.
#include <algorithm>
#include <memory>
#include <type_traits>

#include "../src/core/parallel.h"
#include "../src/formulas/elementwise_multiply_add.h"
#include "backend.h"
#include "gemm.h"
#include "vector/gemm.h"

namespace gaia::cpu {
namespace {

/// Rows per task, at most.  Fixed, so that the number of threads does not change any sum.
constexpr std::int64_t kPanelRows = 128;
/// Columns per task where there is a single panel of rows.
constexpr std::int64_t kStripColumns = 480;
/// Multiplications of a task that is worth a thread.
constexpr std::int64_t kWorthThread = 1 << 20;
/// Products of matrices no larger than this are multiplied many at a call, of about so many
/// numbers.
constexpr std::int64_t kSmallRows = 8;
constexpr std::int64_t kSmallDepth = 256;
constexpr std::int64_t kNumbersPerCall = 1 << 13;

/// Whether products can read the last two axes as they lie.
bool has_unit_stride(const View& x) {
  const int row = x.rank() - 2;
  const int column = x.rank() - 1;
  const auto usable = [&](int unit, int other) {
    return x.strides[unit] == 1 && x.strides[other] >= 1;
  };
  return usable(column, row) || usable(row, column);
}

/// Matrices of a batch as the product reads them, in T: where they lie, or from a contiguous copy.
template <class T>
class Batch {
 public:
  Batch(CpuBackend& backend, const View& x) : view_(x) {
    if (x.dtype == dtype_of<T>() && has_unit_stride(x)) return;
    View source = x;  // what repeats is copied once
    for (int axis = 0; axis < x.rank() - 2; ++axis) {
      if (x.strides[axis] == 0) source.shape[axis] = 1;
    }
    copy_ = std::make_unique<T[]>(static_cast<std::size_t>(source.count()));
    view_ = {copy_.get(), dtype_of<T>(), source.shape, row_major_strides(source.shape)};
    backend.copy(source, view_);
    for (int axis = 0; axis < x.rank() - 2; ++axis) {
      if (source.shape[axis] == 1) view_.strides[axis] = 0;
    }
    view_.shape = x.shape;
  }

  MatrixRef<const T> matrix(std::int64_t index) const {
    const int row = view_.rank() - 2;
    std::int64_t offset = 0;
    for (int axis = row - 1; axis >= 0; --axis) {
      offset += index % view_.shape[axis] * view_.strides[axis];
      index /= view_.shape[axis];
    }
    return {view_.as<T>() + offset, view_.shape[row], view_.shape[row + 1], view_.strides[row],
            view_.strides[row + 1]};
  }

  /// From one matrix to the next, of a batch along a single axis.
  std::int64_t step() const { return view_.strides[0]; }

 private:
  View view_;
  std::unique_ptr<T[]> copy_;
};

/// gemm of integers and bool: row by row of b, so that memory is read in order.
template <class T>
void multiply_integers(const MatrixRef<const T>& a, const MatrixRef<const T>& b,
                       const MatrixRef<T>& y) {
  for (std::int64_t i = 0; i < y.rows; ++i) {
    T* const row = y.data + i * y.row_stride;
    std::fill(row, row + y.columns, T{});
    for (std::int64_t k = 0; k < a.columns; ++k) {
      const T factor = a.data[i * a.row_stride + k * a.column_stride];
      const T* const from = b.data + k * b.row_stride;
      for (std::int64_t j = 0; j < y.columns; ++j) {
        row[j] = MultiplyAdd{}(factor, from[j * b.column_stride], row[j]);
      }
    }
  }
}

/// y = a b of many small matrices, whose products take less time than choosing how to make them.
/// Returns false, having done nothing, for others.
template <class T>
bool multiply_small(const Batch<T>& left, const Batch<T>& right, const View& y) {
  if (y.rank() != 3) return false;
  const auto a = left.matrix(0);
  const auto b = right.matrix(0);
  const bool small = a.rows <= kSmallRows && b.columns >= a.rows && b.columns > 1 &&
                     b.columns <= kStripColumns && a.columns >= 1 && a.columns <= kSmallDepth;
  if (!small || b.column_stride != 1) return false;
  const std::int64_t size = a.rows * b.columns;
  const std::int64_t per_task = std::max<std::int64_t>(1, kNumbersPerCall / size);
  const auto multiply = GAIA_VECTOR_KERNEL(multiply_rows_of_each<T>);
  parallel_for((y.shape[0] + per_task - 1) / per_task, [&](std::int64_t task) {
    const std::int64_t first = task * per_task;
    multiply({a.data + first * left.step(), a.rows, a.columns, a.row_stride, a.column_stride},
             left.step(),
             {b.data + first * right.step(), b.rows, b.columns, b.row_stride, b.column_stride},
             right.step(), y.as<T>() + first * size, std::min(per_task, y.shape[0] - first));
  });
  return true;
}

/// How a matrix [rows, columns] is cut into tasks.
struct Cut {
  EvenPieces rows;
  EvenPieces columns;

  std::int64_t tasks() const { return rows.pieces * columns.pieces; }
};

/// For `matrices` products whose sums have `depth` terms.  Strips of columns each pack their own
/// part of the right matrix, panels of rows all of it: so they are for few columns.
Cut cut(std::int64_t matrices, std::int64_t rows, std::int64_t depth, std::int64_t columns) {
  std::int64_t panels = even_number_of_pieces(rows, kPanelRows);
  std::int64_t strips = panels > 1 ? 1 : even_number_of_pieces(columns, kStripColumns);
  if (matrices == 1 && panels * strips == 1 && rows * depth * columns >= 2 * kWorthThread) {
    if (columns >= 8 * kColumnUnit) {
      strips = 2;
    } else if (rows >= kPanelRows / 2) {
      panels = 2;
    }
  }
  return {{rows, kRowUnit, panels}, {columns, kColumnUnit, strips}};
}

/// y = a b, matrix by matrix and panel by panel.
template <class T>
void multiply_batches(const Batch<T>& left, const Batch<T>& right, std::int64_t depth,
                      const View& y) {
  const std::int64_t rows = y.shape[y.rank() - 2];
  const std::int64_t columns = y.shape.back();
  const std::int64_t matrices = y.count() / (rows * columns);
  const Cut pieces = cut(matrices, rows, depth, columns);
  parallel_for(matrices * pieces.tasks(), [&](std::int64_t task) {
    const std::int64_t matrix = task / pieces.tasks();
    const std::int64_t panel = task / pieces.columns.pieces % pieces.rows.pieces;
    const std::int64_t strip = task % pieces.columns.pieces;
    const std::int64_t first = pieces.rows.begin(panel);
    const std::int64_t column = pieces.columns.begin(strip);
    const auto a = left.matrix(matrix).rows_between(first, pieces.rows.end(panel));
    const auto b = right.matrix(matrix).columns_between(column, pieces.columns.end(strip));
    T* const target = y.as<T>() + (matrix * rows + first) * columns + column;
    const MatrixRef<T> result{target, a.rows, b.columns, columns};
    if constexpr (std::is_floating_point_v<T>) {
      gemm<T>(a, b, result);
    } else {
      multiply_integers<T>(a, b, result);
    }
  });
}

/// The same for large floating matrices: the right one is packed once, for all threads.
template <class T>
void multiply_large(Backend& backend, const Batch<T>& left, const Batch<T>& right, const View& y) {
  const std::int64_t rows = y.shape[y.rank() - 2];
  const std::int64_t columns = y.shape.back();
  for (std::int64_t i = 0; i < y.count() / (rows * columns); ++i) {
    gemm_in_parallel<T>(backend, left.matrix(i), right.matrix(i),
                        {y.as<T>() + i * rows * columns, rows, columns, columns});
  }
}

}  // namespace

void CpuBackend::matmul(const View& a, const View& b, const View& y,
                        MatmulPrecision /*always in full*/) {
  if (y.count() == 0) return;
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bfloat16>) {
      throw InternalError("[matmul] into bfloat16");
    } else {
      const Batch<T> left(*this, a);
      const Batch<T> right(*this, b);
      if constexpr (std::is_floating_point_v<T>) {
        if (pays_in_parallel(y.shape[y.rank() - 2], a.shape.back(), y.shape.back())) {
          return multiply_large<T>(*this, left, right, y);
        }
        if (multiply_small<T>(left, right, y)) return;
      }
      multiply_batches<T>(left, right, a.shape.back(), y);
    }
  });
}

}  // namespace gaia::cpu
