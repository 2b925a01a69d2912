// SPDX-License-Identifier: MIT
#include "orthonormal.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>

namespace gaia {

std::vector<double> random_orthonormal(std::int64_t length, std::int64_t count,
                                       const RandomStream& stream) {
  std::vector<double> vectors(static_cast<std::size_t>(length * count));
  stream.normals(0, vectors);
  const Eigen::Map<Eigen::MatrixXd> matrix(vectors.data(), length, count);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(matrix);
  Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(length, count);
  for (std::int64_t k = 0; k < count; ++k) {
    if (qr.matrixQR()(k, k) < 0.0) q.col(k) *= -1.0;
  }
  std::copy_n(q.data(), vectors.size(), vectors.data());
  return vectors;
}

void combine(std::span<const double> vectors, std::span<const double> weights,
             std::span<double> x) {
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const std::span<const double> vector = vectors.subspan(k * x.size(), x.size());
    for (std::size_t c = 0; c < x.size(); ++c) x[c] += weights[k] * vector[c];
  }
}

}  // namespace gaia
