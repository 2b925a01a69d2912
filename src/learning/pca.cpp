// SPDX-License-Identifier: MIT
#include "pca.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "../core/message.h"
#include "../core/parallel.h"

namespace gaia {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::int64_t kRowsOfTask = 256;

/// 1 or -1, with which the largest entry of the vector is positive.
double sign_of_largest(const Eigen::VectorXd& vector) {
  // Entries of equal size differ by rounding, which must not decide.
  const double nearly = vector.cwiseAbs().maxCoeff() * (1.0 - 1e-6);
  for (const double entry : vector) {
    if (std::abs(entry) >= nearly) return entry < 0.0 ? -1.0 : 1.0;
  }
  return 1.0;
}

}  // namespace

std::vector<double> project(const char* name, std::span<const double> rows,
                            std::span<const double> mean, std::span<const double> matrix) {
  const auto features = static_cast<std::int64_t>(mean.size());
  if (features == 0 || rows.size() % mean.size() != 0 || matrix.size() % mean.size() != 0) {
    fail<ShapeError>("[{}] expected rows of {} features, got {} numbers", name, features,
                     rows.size());
  }
  const std::int64_t count = static_cast<std::int64_t>(rows.size()) / features;
  const std::int64_t outputs = static_cast<std::int64_t>(matrix.size()) / features;
  std::vector<double> projected(static_cast<std::size_t>(count * outputs));
  const Eigen::Map<const Eigen::RowVectorXd> centre(mean.data(), features);
  const Eigen::Map<const Rows> weights(matrix.data(), outputs, features);
  parallel_for((count + kRowsOfTask - 1) / kRowsOfTask, [&](std::int64_t task) {
    const std::int64_t first = task * kRowsOfTask;
    const std::int64_t size = std::min(kRowsOfTask, count - first);
    const Eigen::Map<const Rows> x(rows.data() + first * features, size, features);
    const Rows centred = x.rowwise() - centre;
    Eigen::Map<Rows> y(projected.data() + first * outputs, size, outputs);
    y.noalias() = centred * weights.transpose();
  });
  return projected;
}

std::vector<double> PrincipalComponents::transform(std::span<const double> rows) const {
  return project("PrincipalComponents", rows, mean, components);
}

std::vector<double> symmetric_eigenvalues(std::span<const double> matrix, std::int64_t n) {
  if (n < 1 || static_cast<std::int64_t>(matrix.size()) != n * n) {
    fail<ShapeError>("[symmetric_eigenvalues] expected the {} x {} numbers of a matrix, got {}", n,
                     n, matrix.size());
  }
  const Eigen::Map<const Eigen::MatrixXd> symmetric(matrix.data(), n, n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) {
    throw InternalError("[symmetric_eigenvalues] the eigenvalues did not converge");
  }
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

PrincipalComponents principal_components(const Covariance& covariance, std::int64_t count) {
  const std::int64_t features = covariance.features();
  if (count < 1 || count > features) {
    fail<ArgumentError>(
        "[principal_components] expected 1 to {} components, as many as there are features at "
        "most, got {}",
        features, count);
  }
  if (covariance.count() == 0) {
    throw ArgumentError("[principal_components] expected data, got a covariance of no rows");
  }
  const std::vector<double> matrix = covariance.matrix();
  const Eigen::Map<const Eigen::MatrixXd> symmetric(matrix.data(), features, features);
  // Far from 1 the squares inside of the decomposition would leave the range of a double.
  const double scale = symmetric.cwiseAbs().maxCoeff();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      scale > 0.0 ? Eigen::MatrixXd(symmetric / scale) : Eigen::MatrixXd(symmetric));
  if (solver.info() != Eigen::Success) {
    throw InternalError("[principal_components] the eigenvalues of a covariance did not converge");
  }
  PrincipalComponents result;
  result.mean = covariance.mean();
  result.components.resize(static_cast<std::size_t>(count * features));
  result.variances.resize(static_cast<std::size_t>(count));
  result.total_variance = symmetric.trace();
  Eigen::Map<Rows> components(result.components.data(), count, features);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t from = features - 1 - i;  // the solver's rise
    const Eigen::VectorXd vector = solver.eigenvectors().col(from);
    components.row(i) = (sign_of_largest(vector) * vector).transpose();
    result.variances[static_cast<std::size_t>(i)] =
        std::max(0.0, solver.eigenvalues()[from]) * scale;
  }
  return result;
}

}  // namespace gaia
