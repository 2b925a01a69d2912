// SPDX-License-Identifier: MIT
#include "matrices.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace gaia {

RowMatrix product(AnyMatrix a, AnyMatrix b) { return a * b; }

RowMatrix product_with_transposed(AnyMatrix a, AnyMatrix b) { return a * b.transpose(); }

RowMatrix product_of_transposed(AnyMatrix a, AnyMatrix b) { return a.transpose() * b; }

RowMatrix propagated(AnyMatrix A, AnyMatrix P) { return product_with_transposed(product(A, P), A); }

RowMatrix weighted_products(AnyMatrix a, const Eigen::Ref<const Eigen::VectorXd>& weights,
                            AnyMatrix b) {
  return product_of_transposed(RowMatrix(weights.asDiagonal() * a), b);
}

RowMatrix least_squares(AnyMatrix a, AnyMatrix b) {
  return Eigen::CompleteOrthogonalDecomposition<RowMatrix>(a).solve(b);
}

RowMatrix lower_of(AnyMatrix transposed) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> decomposition{Eigen::MatrixXd(transposed)};
  const Eigen::Index size = transposed.cols();
  const Eigen::MatrixXd upper =
      decomposition.matrixQR().topRows(size).triangularView<Eigen::Upper>();
  return upper.transpose();
}

double least_eigenvalue(AnyMatrix symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(Eigen::MatrixXd(symmetric),
                                                              Eigen::EigenvaluesOnly);
  return solver.eigenvalues().minCoeff();
}

RowMatrix root_of(AnyMatrix covariance) {
  if (covariance.isDiagonal(0.0)) {
    return RowMatrix(covariance.diagonal().cwiseMax(0.0).cwiseSqrt().asDiagonal());
  }
  const Eigen::LLT<Eigen::MatrixXd> factor{Eigen::MatrixXd(covariance)};
  if (factor.info() == Eigen::Success) return factor.matrixL().toDenseMatrix();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(covariance)};
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

RowMatrix symmetric(AnyMatrix covariance) { return 0.5 * (covariance + covariance.transpose()); }

}  // namespace gaia
