// SPDX-License-Identifier: MIT
#include "rts_smoother.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

#include "../core/error.h"
#include "../core/message.h"

namespace gaia {
namespace {

using SmootherRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SmootherMap = Eigen::Map<const SmootherRows>;
using SmootherVector = Eigen::Map<const Eigen::VectorXd>;

}  // namespace

RtsSmoother::RtsSmoother(std::span<const double> A, std::int64_t states)
    : states_(states), A_(A.begin(), A.end()) {
  require<ShapeError>(std::ssize(A_) == states * states,
                      "[smoother] A: expected [{}, {}], got {} numbers", states, states, A_.size());
}

void RtsSmoother::begin(std::span<const double> mean, std::span<const double> covariance) {
  mean_.assign(mean.begin(), mean.end());
  covariance_.assign(covariance.begin(), covariance.end());
}

void RtsSmoother::back(std::span<const double> mean, std::span<const double> covariance,
                       std::span<const double> next_noise) {
  const SmootherMap A(A_.data(), states_, states_);
  const SmootherVector m(mean.data(), states_);
  const SmootherMap P(covariance.data(), states_, states_);
  const Eigen::MatrixXd ahead =
      A * P * A.transpose() + SmootherMap(next_noise.data(), states_, states_);
  // Of a state that is known exactly P⁻ may be singular: LDLT takes its inverse where it has one.
  const Eigen::MatrixXd G = ahead.ldlt().solve(A * P).transpose();
  Eigen::Map<Eigen::VectorXd> next(mean_.data(), states_);
  Eigen::Map<SmootherRows> next_P(covariance_.data(), states_, states_);
  const Eigen::VectorXd smooth = m + G * (next - A * m);
  const Eigen::MatrixXd smooth_P = P + G * (next_P - ahead) * G.transpose();
  next = smooth;
  next_P = 0.5 * (smooth_P + smooth_P.transpose());
  require(next.allFinite() && next_P.allFinite(),
          "[smoother] the smoothed state is not finite; the filter has followed a state that grows "
          "beyond all numbers");
}

}  // namespace gaia
