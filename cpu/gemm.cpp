// SPDX-License-Identifier: MIT
#include "gemm.h"

#include <Eigen/Core>
#include <cstdint>

namespace gaia::cpu {
namespace {

template <class T, int Order>
using Mapped =
    Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>, 0, Eigen::OuterStride<>>;
template <class T, int Order>
using ConstMapped = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>, 0,
                               Eigen::OuterStride<>>;

/// Calls f with the matrix as Eigen sees it: by rows or by columns.
template <class T, class F>
void with_order(const MatrixRef<const T>& m, const F& f) {
  if (m.column_stride == 1) {
    f(ConstMapped<T, Eigen::RowMajor>(m.data, m.rows, m.columns,
                                      Eigen::OuterStride<>(m.row_stride)));
  } else {
    f(ConstMapped<T, Eigen::ColMajor>(m.data, m.rows, m.columns,
                                      Eigen::OuterStride<>(m.column_stride)));
  }
}

/// A row by a column, carried in double: a long sum in a few float32 numbers stops growing.
template <class T>
double inner_product(const MatrixRef<const T>& row, const MatrixRef<const T>& column) {
  double sums[4] = {};
  for (std::int64_t i = 0; i < row.columns; ++i) {
    sums[i % 4] += static_cast<double>(row.data[i * row.column_stride]) *
                   static_cast<double>(column.data[i * column.row_stride]);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

template <class T>
void gemm(const MatrixRef<const T>& a, const MatrixRef<const T>& b, const MatrixRef<T>& y,
          bool accumulate) {
  Mapped<T, Eigen::RowMajor> result(y.data, y.rows, y.columns, Eigen::OuterStride<>(y.row_stride));
  if (a.columns == 0) {
    if (!accumulate) result.setZero();
    return;
  }
  if (y.rows == 1 && y.columns == 1) {
    const double sum = inner_product(a, b);
    *y.data = static_cast<T>(accumulate ? static_cast<double>(*y.data) + sum : sum);
    return;
  }
  with_order<T>(a, [&](const auto& left) {
    with_order<T>(b, [&](const auto& right) {
      if (accumulate) {
        result.noalias() += left * right;
      } else {
        result.noalias() = left * right;
      }
    });
  });
}

template void gemm(const MatrixRef<const float>&, const MatrixRef<const float>&,
                   const MatrixRef<float>&, bool);
template void gemm(const MatrixRef<const double>&, const MatrixRef<const double>&,
                   const MatrixRef<double>&, bool);

}  // namespace gaia::cpu
