// SPDX-License-Identifier: MIT
#include "gemm.h"

#include <Eigen/Core>

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

}  // namespace

template <class T>
void gemm(const MatrixRef<const T>& a, const MatrixRef<const T>& b, const MatrixRef<T>& y,
          bool accumulate) {
  Mapped<T, Eigen::RowMajor> result(y.data, y.rows, y.columns, Eigen::OuterStride<>(y.row_stride));
  if (a.columns == 0) {
    if (!accumulate) result.setZero();
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
