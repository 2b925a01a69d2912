// SPDX-License-Identifier: MIT
#include "smoother.h"

#include "../core/message.h"
#include "matrices.hpp"

namespace gaia {

SmoothedTrial smooth(const FilteredTrial& filtered) {
  const std::int64_t n = filtered.states;
  const std::int64_t square = n * n;
  require<ShapeError>(n >= 1 && std::ssize(filtered.mean) % n == 0,
                      "[smooth] expected means of {} states each, got {} numbers", n,
                      filtered.mean.size());
  const std::int64_t ticks = std::ssize(filtered.mean) / n;
  require<ShapeError>(std::ssize(filtered.covariance) == ticks * square,
                      "[smooth] expected covariances of {} numbers, got {}", ticks * square,
                      filtered.covariance.size());
  const auto of_tick = [&](const char* name, std::span<const double> matrices, std::int64_t tick) {
    const bool is_one = std::ssize(matrices) == square;
    require<ShapeError>(is_one || std::ssize(matrices) == ticks * square,
                        "[smooth] {}: expected {} numbers, or as many for each of {} ticks, got {}",
                        name, square, ticks, matrices.size());
    return ConstMatrixMap(matrices.data() + (is_one ? 0 : tick * square), n, n);
  };
  SmoothedTrial smoothed{{filtered.mean.begin(), filtered.mean.end()},
                         {filtered.covariance.begin(), filtered.covariance.end()}};
  for (std::int64_t tick = ticks - 2; tick >= 0; --tick) {
    const ConstMatrixMap A = of_tick("A", filtered.A, tick + 1);
    const ConstMatrixMap Q = of_tick("Q", filtered.Q, tick + 1);
    const ConstVectorMap m(filtered.mean.data() + tick * n, n);
    const ConstMatrixMap P(filtered.covariance.data() + tick * square, n, n);
    const Eigen::MatrixXd predicted = propagated(A, P) + Q;
    const Eigen::LLT<Eigen::MatrixXd> factor(predicted);
    const Eigen::MatrixXd AP = product(A, P);
    const RowMatrix C = factor.info() == Eigen::Success
                            ? RowMatrix(factor.solve(AP).transpose())
                            : RowMatrix(least_squares(predicted, AP).transpose());
    VectorMap mean(smoothed.mean.data() + tick * n, n);
    MatrixMap covariance(smoothed.covariance.data() + tick * square, n, n);
    mean = m + C * (VectorMap(smoothed.mean.data() + (tick + 1) * n, n) - A * m);
    const MatrixMap next(smoothed.covariance.data() + (tick + 1) * square, n, n);
    covariance = symmetric(P + propagated(C, next - predicted));
  }
  return smoothed;
}

}  // namespace gaia
