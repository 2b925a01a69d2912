// SPDX-License-Identifier: MIT
/// \file
/// Matrices of the filters: what Eigen computes with numbers that lie row by row.  Headers *.hpp
/// are not installed.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <span>
#include <vector>

namespace gaia {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SquareMatrix = RowMatrix;
using ConstMatrixMap = Eigen::Map<const RowMatrix>;
using MatrixMap = Eigen::Map<RowMatrix>;
using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;
using VectorMap = Eigen::Map<Eigen::VectorXd>;

inline std::vector<double> numbers_of(const RowMatrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

/// The numbers of a matrix or a vector, where they lie.
template <class Numbers>
auto numbers_in(Numbers& numbers) {
  return std::span(numbers.data(), static_cast<std::size_t>(numbers.size()));
}

/// A matrix of any of these kinds.  What the filters do with matrices is compiled once for all of
/// them (matrices.cpp), since Eigen compiles every expression anew, for seconds each.
using AnyMatrix = const Eigen::Ref<const RowMatrix>&;

RowMatrix product(AnyMatrix a, AnyMatrix b);                  ///< a b
RowMatrix product_with_transposed(AnyMatrix a, AnyMatrix b);  ///< a bᵀ
RowMatrix product_of_transposed(AnyMatrix a, AnyMatrix b);    ///< aᵀ b
/// A P Aᵀ: the covariance of A x, where P is that of x.
RowMatrix propagated(AnyMatrix A, AnyMatrix P);
/// aᵀ diag(weights) b: the covariance of columns whose rows are weighted.
RowMatrix weighted_products(AnyMatrix a, const Eigen::Ref<const Eigen::VectorXd>& weights,
                            AnyMatrix b);
/// x with a x = b as nearly as there is one, and the shortest of several.
RowMatrix least_squares(AnyMatrix a, AnyMatrix b);
/// Upper triangle of the QR decomposition, as a lower one.
RowMatrix lower_of(AnyMatrix transposed);
double least_eigenvalue(AnyMatrix symmetric);
/// L with L Lᵀ = the covariance, which may be singular: of a diagonal the square roots, else the
/// factor of Cholesky where there is one, else eigenvectors times the roots of eigenvalues.
RowMatrix root_of(AnyMatrix covariance);
/// The covariance without what rounding has made of its symmetry.
RowMatrix symmetric(AnyMatrix covariance);

}  // namespace gaia
