// SPDX-License-Identifier: MIT
#include "unscented_kalman_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "../core/message.h"
#include "matrices.hpp"

namespace gaia {

UnscentedKalmanFilter::UnscentedKalmanFilter(const UnscentedKalmanOptions& options,
                                             std::int64_t streams)
    : UnscentedKalmanFilter(StateModel("unscented_kalman", options.model), options.points,
                            streams) {}

UnscentedKalmanFilter::UnscentedKalmanFilter(StateModel model, const SigmaPointOptions& points,
                                             std::int64_t streams)
    : model_(std::move(model)) {
  const double n = static_cast<double>(model_.states());
  const double kappa = points.kappa.value_or(std::max(0.0, 3.0 - n));
  require(std::isfinite(points.alpha) && points.alpha > 0.0,
          "[unscented_kalman] alpha: expected a number above 0, got {}", points.alpha);
  require(std::isfinite(points.beta), "[unscented_kalman] beta: expected a finite number, got {}",
          points.beta);
  require(std::isfinite(kappa) && n + kappa > 0.0,
          "[unscented_kalman] kappa: expected a number above -{}, the number of states, got {}",
          model_.states(), kappa);
  scale_ = points.alpha * points.alpha * (n + kappa);
  const auto count = static_cast<std::size_t>(2 * model_.states() + 1);
  of_means_.assign(count, 0.5 / scale_);
  of_spreads_ = of_means_;
  of_means_[0] = (scale_ - n) / scale_;
  of_spreads_[0] = of_means_[0] + 1.0 - points.alpha * points.alpha + points.beta;
  set_streams(streams);
}

std::unique_ptr<StateFilter> UnscentedKalmanFilter::clone() const {
  return std::make_unique<UnscentedKalmanFilter>(*this);
}

void UnscentedKalmanFilter::set_streams(std::int64_t streams) {
  require(streams >= 1, "[unscented_kalman] streams: expected 1 or more, got {}", streams);
  streams_ = streams;
  begin();
}

void UnscentedKalmanFilter::begin() {
  const auto all = static_cast<std::size_t>(streams_);
  mean_.assign(all * static_cast<std::size_t>(states()), 0.0);
  innovation_covariance_.assign(all * model_.R().size(), 0.0);
  covariance_.clear();
  for (std::size_t s = 0; s < all; ++s) {
    covariance_.insert(covariance_.end(), model_.P0().begin(), model_.P0().end());
  }
  ticks_ = 0;
}

std::vector<double> UnscentedKalmanFilter::points_of(std::int64_t stream) const {
  const std::int64_t n = states();
  const ConstVectorMap m(mean_.data() + stream * n, n);
  const ConstMatrixMap P(covariance_.data() + stream * n * n, n, n);
  // Where no weight of covariances is negative no eigenvalue can be, but for rounding.
  if (of_spreads_[0] < 0.0) {
    require(least_eigenvalue(P) >= -1e-9 * P.cwiseAbs().maxCoeff(),
            "[unscented_kalman] expected a covariance, got one with a negative eigenvalue, which "
            "weights of points below 0 allow; give a larger kappa or beta");
  }
  const RowMatrix L = std::sqrt(scale_) * root_of(P);
  RowMatrix points = m.transpose().replicate(2 * n + 1, 1);
  points.middleRows(1, n) += L.transpose();
  points.bottomRows(n) -= L.transpose();
  return numbers_of(points);
}

void UnscentedKalmanFilter::predict() {
  ++ticks_;
  for (std::int64_t stream = 0; stream < streams_; ++stream) predict_stream(stream);
}

void UnscentedKalmanFilter::predict_stream(std::int64_t stream) {
  const std::int64_t n = states();
  const std::int64_t count = 2 * n + 1;
  std::vector<double> numbers = points_of(stream);
  for (std::int64_t i = 0; i < count; ++i) {
    model_.step(
        std::span(numbers).subspan(static_cast<std::size_t>(i * n), static_cast<std::size_t>(n)),
        static_cast<double>(ticks_ - 1));
  }
  MatrixMap points(numbers.data(), count, n);
  VectorMap m(mean_.data() + stream * n, n);
  MatrixMap P(covariance_.data() + stream * n * n, n, n);
  m = points.transpose() * ConstVectorMap(of_means_.data(), count);
  points.rowwise() -= m.transpose();
  P = symmetric(weighted_products(points, ConstVectorMap(of_spreads_.data(), count), points) +
                ConstMatrixMap(model_.Q().data(), n, n));
  require(m.allFinite() && P.allFinite(),
          "[unscented_kalman] expected a model whose prediction is finite at all points, got one "
          "that is not");
}

void UnscentedKalmanFilter::update(std::span<const double> rows, bool /*adapt*/,
                                   FilterTick& found) {
  const std::int64_t m = observed();
  require<ShapeError>(std::ssize(rows) == streams_ * m,
                      "[unscented_kalman] expected {} rows of {} numbers, got {} numbers", streams_,
                      m, rows.size());
  for (const double value : rows) {
    require(!std::isinf(value),
            "[unscented_kalman] expected finite numbers, or NaN for missing ones, got {}", value);
  }
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  found.log_likelihood.assign(static_cast<std::size_t>(streams_), 0.0);
  found.nis.assign(static_cast<std::size_t>(streams_), nan);
  found.innovation.assign(rows.size(), nan);
  for (std::int64_t stream = 0; stream < streams_; ++stream) {
    update_stream(stream,
                  rows.subspan(static_cast<std::size_t>(stream * m), static_cast<std::size_t>(m)),
                  found);
  }
}

void UnscentedKalmanFilter::update_stream(std::int64_t stream, std::span<const double> row,
                                          FilterTick& found) {
  const std::int64_t n = states();
  const std::int64_t m = observed();
  const std::int64_t count = 2 * n + 1;
  std::vector<double> at = points_of(stream);
  RowMatrix seen(count, m);
  for (std::int64_t i = 0; i < count; ++i) {
    model_.observe(
        std::span(at).subspan(static_cast<std::size_t>(i * n), static_cast<std::size_t>(n)),
        static_cast<double>(std::max<std::int64_t>(ticks_ - 1, 0)),
        numbers_in(seen).subspan(static_cast<std::size_t>(i * m), static_cast<std::size_t>(m)));
  }
  const ConstVectorMap of_means(of_means_.data(), count);
  const Eigen::VectorXd weights = ConstVectorMap(of_spreads_.data(), count);
  const Eigen::VectorXd expected = seen.transpose() * of_means;
  require(expected.allFinite(),
          "[unscented_kalman] expected an observation that is finite at all points, got one that "
          "is not");
  seen.rowwise() -= expected.transpose();
  const ConstMatrixMap all_R(model_.R().data(), m, m);
  MatrixMap all_S(innovation_covariance_.data() + stream * m * m, m, m);
  all_S = symmetric(weighted_products(seen, weights, seen) + all_R);

  std::vector<Eigen::Index> present;
  for (Eigen::Index i = 0; i < m; ++i) {
    if (!std::isnan(row[static_cast<std::size_t>(i)])) present.push_back(i);
  }
  if (present.empty()) return;
  VectorMap mean(mean_.data() + stream * n, n);
  MatrixMap P(covariance_.data() + stream * n * n, n, n);
  MatrixMap away(at.data(), count, n);
  away.rowwise() -= mean.transpose().eval();
  const RowMatrix off = seen(Eigen::all, present);
  const RowMatrix R = all_R(present, present);
  const Eigen::VectorXd v = ConstVectorMap(row.data(), m)(present) - expected(present);
  const Eigen::LLT<Eigen::MatrixXd> factor{Eigen::MatrixXd(all_S(present, present))};
  const Eigen::ArrayXd diagonal = factor.matrixLLT().diagonal().array().abs();
  require(factor.info() == Eigen::Success && diagonal.minCoeff() > 1e-14 * diagonal.maxCoeff(),
          "[unscented_kalman] expected an innovation whose covariance can be inverted, got a "
          "singular one; give R (or Q) numbers above 0");
  const RowMatrix gain =
      factor.solve(Eigen::MatrixXd(weighted_products(off, weights, away))).transpose();
  away -= product_with_transposed(off, gain);
  P = symmetric(weighted_products(away, weights, away) + propagated(gain, R));
  mean += gain * v;

  const double nis = factor.matrixL().solve(v).squaredNorm();
  const auto index = static_cast<std::size_t>(stream);
  found.nis[index] = nis;
  found.log_likelihood[index] =
      -0.5 * (nis + 2.0 * diagonal.log().sum() +
              static_cast<double>(present.size()) * std::log(2.0 * std::numbers::pi));
  VectorMap(found.innovation.data() + stream * m, m)(present) = v;
}

void UnscentedKalmanFilter::set_belief(std::span<const double> means,
                                       std::span<const double> covariances) {
  require<ShapeError>(
      means.size() == mean_.size() && covariances.size() == covariance_.size(),
      "[unscented_kalman] expected {} numbers of means and {} of covariances, got {} and {}",
      mean_.size(), covariance_.size(), means.size(), covariances.size());
  for (const auto& numbers : {means, covariances}) {
    for (const double value : numbers) {
      require(std::isfinite(value), "[unscented_kalman] expected finite numbers, got {}", value);
    }
  }
  const std::int64_t n = states();
  mean_.assign(means.begin(), means.end());
  for (std::int64_t stream = 0; stream < streams_; ++stream) {
    MatrixMap(covariance_.data() + stream * n * n, n, n) =
        symmetric(ConstMatrixMap(covariances.data() + stream * n * n, n, n));
  }
}

std::vector<double> UnscentedKalmanFilter::carried() const {
  const auto n = static_cast<std::size_t>(states());
  std::vector<double> numbers;
  for (std::size_t s = 0; s < static_cast<std::size_t>(streams_); ++s) {
    const auto mean = std::span(mean_).subspan(s * n, n);
    const auto matrix = std::span(covariance_).subspan(s * n * n, n * n);
    numbers.insert(numbers.end(), mean.begin(), mean.end());
    numbers.insert(numbers.end(), matrix.begin(), matrix.end());
    numbers.push_back(static_cast<double>(ticks_));
  }
  return numbers;
}

void UnscentedKalmanFilter::set_carried(std::span<const double> numbers) {
  const std::int64_t n = states();
  const std::int64_t each = n + n * n + 1;
  require<ShapeError>(std::ssize(numbers) == streams_ * each,
                      "[unscented_kalman] expected {} numbers for each of {} streams, got {} in "
                      "all",
                      each, streams_, numbers.size());
  for (std::int64_t stream = 0; stream < streams_; ++stream) {
    const double* const from = numbers.data() + stream * each;
    std::copy_n(from, n, mean_.data() + stream * n);
    std::copy_n(from + n, n * n, covariance_.data() + stream * n * n);
  }
  ticks_ = static_cast<std::int64_t>(numbers[static_cast<std::size_t>(each - 1)]);
}

}  // namespace gaia
