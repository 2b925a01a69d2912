// SPDX-License-Identifier: MIT
/// \file
/// Matrices of the filters: what Eigen computes with numbers that lie row by row.  Headers *.hpp are
/// not installed.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
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

inline double least_eigenvalue(const RowMatrix& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().minCoeff();
}

/// L with L Lᵀ = the covariance, which may be singular: of a diagonal the square roots, else the
/// factor of Cholesky where there is one, else eigenvectors times the roots of eigenvalues.
inline RowMatrix root_of(const RowMatrix& covariance) {
  if (covariance.isDiagonal(0.0)) {
    return RowMatrix(covariance.diagonal().cwiseMax(0.0).cwiseSqrt().asDiagonal());
  }
  const Eigen::LLT<Eigen::MatrixXd> factor{Eigen::MatrixXd(covariance)};
  if (factor.info() == Eigen::Success) return factor.matrixL().toDenseMatrix();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(covariance)};
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

/// The covariance without what rounding has made of its symmetry.
inline RowMatrix symmetric(const RowMatrix& covariance) {
  return 0.5 * (covariance + covariance.transpose());
}

}  // namespace gaia
