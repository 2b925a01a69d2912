// SPDX-License-Identifier: MIT
#include "kalman_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "../core/message.h"
#include "matrices.hpp"

namespace gaia {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Whether a triangle can be divided by: no number of its diagonal is lost beside the largest.
bool is_regular(const RowMatrix& triangle) {
  const Eigen::ArrayXd diagonal = triangle.diagonal().array().abs();
  return diagonal.minCoeff() > 1e-14 * diagonal.maxCoeff();
}

[[noreturn]] void fail_singular(const char* type) {
  fail<ArgumentError>(
      "[{}] expected an innovation whose covariance H P Hᵀ + R can be inverted, got a singular "
      "one; "
      "give R (or Q) numbers above 0",
      type);
}

}  // namespace

double noise_weight(double forgetting, std::int64_t observed_ticks) {
  if (observed_ticks < kTicksBeforeNoiseAdapts) return 0.0;
  return (1.0 - forgetting) / (1.0 - std::pow(forgetting, static_cast<double>(observed_ticks + 1)));
}

struct KalmanFilter::Said {
  RowMatrix sum;             // sum of what R or Q would change by
  std::int64_t streams = 0;  // streams that have observed something
  bool adapts = false;
};

KalmanFilter::KalmanFilter(const KalmanOptions& options, std::int64_t observed,
                           std::int64_t streams)
    : KalmanFilter(make_linear_model(options.model, observed), options.form, options.adapt,
                   options.forgetting, streams) {}

KalmanFilter::KalmanFilter(LinearModel model, KalmanForm form, NoiseAdaption adapt,
                           double forgetting, std::int64_t streams)
    : model_(std::move(model)), form_(form), adapt_(adapt), forgetting_(forgetting) {
  require(forgetting > 0.0 && forgetting < 1.0,
          "[kalman] forgetting: expected a number above 0 and below 1, got {}", forgetting);
  set_streams(streams);
}

std::unique_ptr<StateFilter> KalmanFilter::clone() const {
  return std::make_unique<KalmanFilter>(*this);
}

void KalmanFilter::set_streams(std::int64_t streams) {
  require(streams >= 1, "[kalman] streams: expected 1 or more, got {}", streams);
  streams_ = streams;
  begin();
}

void KalmanFilter::begin() {
  const auto n = static_cast<std::size_t>(model_.states);
  const auto m = static_cast<std::size_t>(model_.observed);
  const auto all = static_cast<std::size_t>(streams_);
  mean_.assign(all * n, 0.0);
  innovation_covariance_.assign(all * m * m, 0.0);
  covariance_.clear();
  root_.clear();
  const std::vector<double> root =
      form_ == KalmanForm::root
          ? numbers_of(root_of(ConstMatrixMap(model_.P0.data(), model_.states, model_.states)))
          : std::vector<double>{};
  for (std::size_t s = 0; s < all; ++s) {
    covariance_.insert(covariance_.end(), model_.P0.begin(), model_.P0.end());
    root_.insert(root_.end(), root.begin(), root.end());
  }
}

void KalmanFilter::predict() {
  for (std::int64_t stream = 0; stream < streams_; ++stream) predict_stream(stream);
}

void KalmanFilter::predict_stream(std::int64_t stream) {
  const std::int64_t n = model_.states;
  const ConstMatrixMap Q(model_.Q.data(), n, n);
  VectorMap m(mean_.data() + stream * n, n);
  MatrixMap P(covariance_.data() + stream * n * n, n, n);
  RowMatrix A(n, n);
  go_on(numbers_in(m), numbers_in(A));
  if (form_ == KalmanForm::root) {
    MatrixMap L(root_.data() + stream * n * n, n, n);
    RowMatrix stacked(2 * n, n);
    stacked << product(A, L).transpose(), root_of(Q).transpose();
    L = lower_of(stacked);
    P = product_with_transposed(L, L);
  } else {
    P = symmetric(propagated(A, P) + Q);
  }
  require(m.allFinite() && P.allFinite(),
          "[kalman] expected a model whose prediction is finite, got one that is not; the "
          "eigenvalues of A should not be larger than 1");
}

void KalmanFilter::go_on(std::span<double> mean, std::span<double> jacobian) const {
  const std::int64_t n = model_.states;
  VectorMap m(mean.data(), n);
  m = (ConstMatrixMap(model_.A.data(), n, n) * m).eval();
  std::copy(model_.A.begin(), model_.A.end(), jacobian.begin());
}

void KalmanFilter::expect(std::span<const double> mean, std::span<double> expected,
                          std::span<double> jacobian) const {
  VectorMap(expected.data(), model_.observed) =
      ConstMatrixMap(model_.H.data(), model_.observed, model_.states) *
      ConstVectorMap(mean.data(), model_.states);
  std::copy(model_.H.begin(), model_.H.end(), jacobian.begin());
}

void KalmanFilter::update(std::span<const double> rows, bool adapt, FilterTick& found) {
  const std::int64_t m = model_.observed;
  const std::int64_t n = model_.states;
  require<ShapeError>(std::ssize(rows) == streams_ * m,
                      "[kalman] expected {} rows of {} numbers, got {} numbers", streams_, m,
                      rows.size());
  for (const double value : rows) {
    require(!std::isinf(value), "[kalman] expected finite numbers, or NaN for missing ones, got {}",
            value);
  }
  found.log_likelihood.assign(static_cast<std::size_t>(streams_), 0.0);
  found.nis.assign(static_cast<std::size_t>(streams_), kNaN);
  found.innovation.assign(rows.size(), kNaN);
  Said said;
  const double weight = noise_weight(forgetting_, observed_ticks_);
  said.adapts = adapt && adapt_ != NoiseAdaption::none && weight > 0.0;
  if (said.adapts) {
    const std::int64_t size = adapt_ == NoiseAdaption::R ? m : n;
    said.sum = RowMatrix::Zero(size, size);
  }
  for (std::int64_t stream = 0; stream < streams_; ++stream) {
    update_stream(stream,
                  rows.subspan(static_cast<std::size_t>(stream * m), static_cast<std::size_t>(m)),
                  found, said);
  }
  if (said.adapts && said.streams > 0) adapt_noise(said);
  if (adapt && said.streams > 0) ++observed_ticks_;
}

void KalmanFilter::update_stream(std::int64_t stream, std::span<const double> row,
                                 FilterTick& found, Said& said) {
  const std::int64_t n = model_.states;
  const std::int64_t m = model_.observed;
  VectorMap mean(mean_.data() + stream * n, n);
  MatrixMap P(covariance_.data() + stream * n * n, n, n);
  RowMatrix all_H(m, n);
  Eigen::VectorXd expected(m);
  expect(numbers_in(mean), numbers_in(expected), numbers_in(all_H));
  const ConstMatrixMap all_R(model_.R.data(), m, m);
  MatrixMap(innovation_covariance_.data() + stream * m * m, m, m) = propagated(all_H, P) + all_R;

  std::vector<Eigen::Index> present;
  for (Eigen::Index i = 0; i < m; ++i) {
    if (!std::isnan(row[static_cast<std::size_t>(i)])) present.push_back(i);
  }
  if (present.empty()) return;
  ++said.streams;
  const auto observed = static_cast<Eigen::Index>(present.size());
  const RowMatrix H = all_H(present, Eigen::all);
  const RowMatrix R = all_R(present, present);
  const Eigen::VectorXd y = ConstVectorMap(row.data(), m)(present);
  const Eigen::VectorXd v = y - expected(present);

  RowMatrix root_of_S;  // lower triangle
  RowMatrix gain;       // K
  if (form_ == KalmanForm::root) {
    MatrixMap L(root_.data() + stream * n * n, n, n);
    RowMatrix stacked = RowMatrix::Zero(observed + n, observed + n);
    stacked.topLeftCorner(observed, observed) = root_of(R).transpose();
    stacked.bottomLeftCorner(n, observed) = product(H, L).transpose();
    stacked.bottomRightCorner(n, n) = L.transpose();
    const RowMatrix triangle = lower_of(stacked);
    root_of_S = triangle.topLeftCorner(observed, observed);
    if (!is_regular(root_of_S)) fail_singular("kalman");
    gain = root_of_S.triangularView<Eigen::Lower>().solve<Eigen::OnTheRight>(
        triangle.bottomLeftCorner(n, observed));
    L = triangle.bottomRightCorner(n, n);
    P = product_with_transposed(L, L);
  } else {
    const Eigen::LLT<Eigen::MatrixXd> factor{Eigen::MatrixXd(propagated(H, P) + R)};
    if (factor.info() != Eigen::Success) fail_singular("kalman");
    root_of_S = factor.matrixL().toDenseMatrix();
    if (!is_regular(root_of_S)) fail_singular("kalman");
    gain = factor.solve(Eigen::MatrixXd(product(H, P))).transpose();
    const RowMatrix rest = RowMatrix::Identity(n, n) - product(gain, H);
    P = symmetric(propagated(rest, P) + propagated(gain, R));
  }
  mean += gain * v;

  const Eigen::VectorXd white = root_of_S.triangularView<Eigen::Lower>().solve(v);
  const double nis = white.squaredNorm();
  const double log_determinant = 2.0 * root_of_S.diagonal().array().abs().log().sum();
  const auto at = static_cast<std::size_t>(stream);
  found.nis[at] = nis;
  found.log_likelihood[at] =
      -0.5 *
      (nis + log_determinant + static_cast<double>(observed) * std::log(2.0 * std::numbers::pi));
  VectorMap(found.innovation.data() + stream * m, m)(present) = v;

  if (!said.adapts) return;
  if (adapt_ == NoiseAdaption::R) {
    RowMatrix unused(m, n);
    expect(numbers_in(mean), numbers_in(expected), numbers_in(unused));
    const Eigen::VectorXd left = y - expected(present);
    const RowMatrix change = left * left.transpose() + propagated(H, P) - R;
    if (observed == m) {
      said.sum += change;
    } else {
      // What the noise of the values that are there says of that of the others.
      const RowMatrix C = least_squares(R, all_R(present, Eigen::all)).transpose();
      said.sum += propagated(C, change);
    }
  } else {
    const ConstMatrixMap Q(model_.Q.data(), n, n);
    // G = Q Hᵀ S⁻¹ = (S⁻¹ H Q)ᵀ.
    const RowMatrix half =
        root_of_S.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd(product(H, Q)));
    const Eigen::VectorXd w = half.transpose() * white;
    said.sum += w * w.transpose() - product_of_transposed(half, half);
  }
}

void KalmanFilter::adapt_noise(const Said& said) {
  const double weight = noise_weight(forgetting_, observed_ticks_);
  if (adapt_ == NoiseAdaption::R) {
    MatrixMap R(model_.R.data(), model_.observed, model_.observed);
    R = symmetric(R + weight / static_cast<double>(said.streams) * said.sum);
  } else {
    MatrixMap Q(model_.Q.data(), model_.states, model_.states);
    Q = symmetric(Q + weight / static_cast<double>(said.streams) * said.sum);
  }
}

void KalmanFilter::set_belief(std::span<const double> means, std::span<const double> covariances) {
  require<ShapeError>(means.size() == mean_.size() && covariances.size() == covariance_.size(),
                      "[kalman] expected {} numbers of means and {} of covariances, got {} and {}",
                      mean_.size(), covariance_.size(), means.size(), covariances.size());
  const std::int64_t n = model_.states;
  mean_.assign(means.begin(), means.end());
  for (std::int64_t stream = 0; stream < streams_; ++stream) {
    MatrixMap P(covariance_.data() + stream * n * n, n, n);
    P = symmetric(ConstMatrixMap(covariances.data() + stream * n * n, n, n));
    require(P.allFinite(), "[kalman] expected finite covariances, got one that is not");
    if (form_ == KalmanForm::root) MatrixMap(root_.data() + stream * n * n, n, n) = root_of(P);
  }
  for (const double value : means) {
    require(std::isfinite(value), "[kalman] expected finite means, got {}", value);
  }
}

std::vector<double> KalmanFilter::carried() const {
  const auto n = static_cast<std::size_t>(model_.states);
  const std::vector<double>& second = form_ == KalmanForm::root ? root_ : covariance_;
  std::vector<double> numbers;
  for (std::size_t s = 0; s < static_cast<std::size_t>(streams_); ++s) {
    const auto mean = std::span(mean_).subspan(s * n, n);
    const auto matrix = std::span(second).subspan(s * n * n, n * n);
    numbers.insert(numbers.end(), mean.begin(), mean.end());
    numbers.insert(numbers.end(), matrix.begin(), matrix.end());
  }
  return numbers;
}

void KalmanFilter::set_carried(std::span<const double> numbers) {
  const std::int64_t n = model_.states;
  require<ShapeError>(std::ssize(numbers) == streams_ * (n + n * n),
                      "[kalman] expected {} numbers for each of {} streams, got {} in all",
                      n + n * n, streams_, numbers.size());
  for (std::int64_t stream = 0; stream < streams_; ++stream) {
    const double* const from = numbers.data() + stream * (n + n * n);
    VectorMap(mean_.data() + stream * n, n) = ConstVectorMap(from, n);
    const ConstMatrixMap matrix(from + n, n, n);
    MatrixMap P(covariance_.data() + stream * n * n, n, n);
    if (form_ == KalmanForm::root) {
      MatrixMap(root_.data() + stream * n * n, n, n) = matrix;
      P = product_with_transposed(matrix, matrix);
    } else {
      P = matrix;
    }
  }
}

std::vector<double> KalmanFilter::adapted() const {
  if (adapt_ == NoiseAdaption::none) return {};
  std::vector<double> numbers = adapt_ == NoiseAdaption::R ? model_.R : model_.Q;
  numbers.push_back(static_cast<double>(observed_ticks_));
  return numbers;
}

void KalmanFilter::set_adapted(std::span<const double> numbers) {
  if (adapt_ == NoiseAdaption::none && numbers.empty()) return;
  std::vector<double>& noise = adapt_ == NoiseAdaption::R ? model_.R : model_.Q;
  require<ShapeError>(adapt_ != NoiseAdaption::none && numbers.size() == noise.size() + 1,
                      "[kalman] expected {} numbers of noise that adapts, got {}", adapted().size(),
                      numbers.size());
  noise.assign(numbers.begin(), numbers.end() - 1);
  observed_ticks_ = static_cast<std::int64_t>(numbers.back());
}

}  // namespace gaia
