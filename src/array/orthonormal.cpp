// SPDX-License-Identifier: MIT
#include "orthonormal.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <span>
#include <vector>

#include "../core/message.h"
#include "create.h"

namespace gaia {

Array random_orthonormal(std::int64_t count, std::int64_t length, RandomStream stream) {
  if (count < 0 || count > length) {
    fail<ShapeError>(
        "[random_orthonormal] expected at most as many vectors as they are long, got {} of length "
        "{}",
        count, length);
  }
  const Array gaussian = random_normal({length, count}, 0.0, 1.0, DType::float64, stream);
  const std::vector<double> values = gaussian.to_vector<double>();
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(
      Eigen::Map<const RowMajor>(values.data(), length, count));
  Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(length, count);
  for (std::int64_t k = 0; k < count; ++k) {
    if (qr.matrixQR()(k, k) < 0.0) q.col(k) *= -1.0;
  }
  return from_values(std::span<const double>(q.data(), values.size()), {count, length});
}

}  // namespace gaia
