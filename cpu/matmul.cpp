// SPDX-License-Identifier: MIT
/// \file
/// Batches of matrix products, cut into panels of rows that threads share.
#include <algorithm>
#include <vector>

#include "../src/core/parallel.h"
#include "backend.h"
#include "gemm.h"

namespace gaia::cpu {
namespace {

/// Rows per task.  Fixed, so that the number of threads does not change any sum.
constexpr std::int64_t kPanelRows = 128;

/// Whether Eigen can read the last two axes as they lie.
bool has_unit_stride(const View& x) {
  const int row = x.rank() - 2;
  const int column = x.rank() - 1;
  const auto usable = [&](int unit, int other) {
    return x.strides[unit] == 1 && x.strides[other] >= 1;
  };
  return usable(column, row) || usable(row, column);
}

/// Matrices of a batch as the product reads them: where they lie, or from a contiguous copy.
template <class T>
class Batch {
 public:
  Batch(CpuBackend& backend, const View& x) : view_(x) {
    if (has_unit_stride(x)) return;
    copy_.resize(static_cast<std::size_t>(x.count()));
    view_ = {copy_.data(), x.dtype, x.shape, row_major_strides(x.shape)};
    backend.copy(x, view_);
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

 private:
  View view_;
  std::vector<T> copy_;
};

}  // namespace

void CpuBackend::matmul(const View& a, const View& b, const View& y) {
  if (y.count() == 0) return;
  dispatch_floating(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Batch<T> left(*this, a);
    const Batch<T> right(*this, b);
    const std::int64_t rows = y.shape[y.rank() - 2];
    const std::int64_t columns = y.shape.back();
    const std::int64_t matrices = y.count() / (rows * columns);
    const std::int64_t panels = (rows + kPanelRows - 1) / kPanelRows;
    parallel_for(matrices * panels, [&](std::int64_t task) {
      const std::int64_t first = task % panels * kPanelRows;
      MatrixRef<const T> panel = left.matrix(task / panels);
      panel.data += first * panel.row_stride;
      panel.rows = std::min(kPanelRows, rows - first);
      T* const target = y.as<T>() + (task / panels * rows + first) * columns;
      gemm<T>(panel, right.matrix(task / panels), {target, panel.rows, columns, columns});
    });
  });
}

}  // namespace gaia::cpu
