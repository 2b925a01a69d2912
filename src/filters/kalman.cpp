// SPDX-License-Identifier: MIT
#include "kalman.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "../core/error.h"
#include "../core/message.h"

namespace gaia {
namespace {

using KalmanRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using KalmanMap = Eigen::Map<KalmanRows>;
using KalmanConstMap = Eigen::Map<const KalmanRows>;

void check_covariance(const char* name, const std::vector<double>& values, std::int64_t size) {
  require<ShapeError>(std::ssize(values) == size * size,
                      "[kalman] {}: expected [{}, {}], got {} numbers", name, size, size,
                      values.size());
  const KalmanConstMap matrix(values.data(), size, size);
  require(matrix.allFinite(), "[kalman] {}: expected finite numbers", name);
  require((matrix - matrix.transpose()).cwiseAbs().maxCoeff() <=
              1e-12 * matrix.cwiseAbs().maxCoeff(),
          "[kalman] {}: expected a covariance, which is symmetric, got one that is not", name);
}

}  // namespace

LinearModel repeated_model(const std::vector<double>& A, std::int64_t states, std::int64_t count) {
  LinearModel model{states * count, count, {}, {}};
  model.A.resize(static_cast<std::size_t>(model.states * model.states));
  model.H.resize(static_cast<std::size_t>(count * model.states));
  KalmanMap to(model.A.data(), model.states, model.states);
  KalmanMap seen(model.H.data(), count, model.states);
  for (std::int64_t k = 0; k < count; ++k) {
    to.block(k * states, k * states, states, states) = KalmanConstMap(A.data(), states, states);
    seen(k, k * states) = 1.0;
  }
  return model;
}

KalmanFilter::KalmanFilter(const KalmanOptions& options)
    : options_(options), Q_(options.Q), R_(options.R) {
  const std::int64_t n = options.model.states;
  const std::int64_t m = options.model.observed;
  require(n >= 1 && m >= 1 && n <= 64, "[kalman] expected 1 to 64 states, got {}", n);
  require<ShapeError>(std::ssize(options.model.A) == n * n, "[kalman] A: expected [{}, {}]", n, n);
  require<ShapeError>(std::ssize(options.model.H) == m * n, "[kalman] H: expected [{}, {}]", m, n);
  check_covariance("Q", options.Q, n);
  check_covariance("R", options.R, m);
  check_covariance("P0", options.P0, n);
  set_streams(options.streams);
}

void KalmanFilter::set_streams(std::int64_t streams) {
  options_.streams = streams;
  begin();
}

void KalmanFilter::begin() {
  mean_.assign(static_cast<std::size_t>(streams() * states()), 0.0);
  covariance_.clear();
  for (std::int64_t s = 0; s < streams(); ++s) {
    covariance_.insert(covariance_.end(), options_.P0.begin(), options_.P0.end());
  }
  S_.assign(static_cast<std::size_t>(streams() * observed() * observed()), 0.0);
}

void KalmanFilter::predict() {
  const std::int64_t n = states();
  const KalmanConstMap A(options_.model.A.data(), n, n);
  for (std::int64_t s = 0; s < streams(); ++s) {
    Eigen::Map<Eigen::VectorXd> m(mean_.data() + s * n, n);
    KalmanMap P(covariance_.data() + s * n * n, n, n);
    m = (A * m).eval();
    P = (A * P * A.transpose()).eval() + KalmanConstMap(Q_.data(), n, n);
    require(m.allFinite() && P.allFinite(),
            "[kalman] the state is not finite after the prediction; take an A that does not grow");
  }
}

void KalmanFilter::update(std::span<const double> rows, bool adapt, FilterTick& found) {
  const std::int64_t n = states();
  const std::int64_t m = observed();
  const double none = std::numeric_limits<double>::quiet_NaN();
  found.log_likelihood.assign(static_cast<std::size_t>(streams()), 0.0);
  found.innovation.assign(static_cast<std::size_t>(streams() * m), none);
  found.nis.assign(static_cast<std::size_t>(streams()), none);
  const bool adapts = adapt && options_.adapt != KalmanAdapts::none;
  const bool moves = adapts && ticks_ >= 20.0;
  const double d = (1.0 - options_.forgetting) /
                   (1.0 - std::pow(options_.forgetting, ticks_ + 1.0));
  KalmanRows change_R = KalmanRows::Zero(m, m);
  KalmanRows change_Q = KalmanRows::Zero(n, n);
  std::int64_t seen = 0;
  for (std::int64_t s = 0; s < streams(); ++s) {
    const Eigen::Map<const Eigen::VectorXd> row(rows.data() + s * m, m);
    std::vector<Eigen::Index> there;
    for (std::int64_t c = 0; c < m; ++c) {
      if (!std::isnan(row[c])) there.push_back(c);
    }
    Eigen::Map<Eigen::VectorXd> mean(mean_.data() + s * n, n);
    KalmanMap P(covariance_.data() + s * n * n, n, n);
    const KalmanConstMap all(options_.model.H.data(), m, n);
    KalmanMap(S_.data() + s * m * m, m, m) =
        all * P * all.transpose() + KalmanConstMap(R_.data(), m, m);
    if (there.empty()) continue;
    ++seen;
    const Eigen::MatrixXd H = all(there, Eigen::all);
    const Eigen::MatrixXd R = KalmanConstMap(R_.data(), m, m)(there, there);
    const Eigen::VectorXd v = row(there) - H * mean;
    const Eigen::MatrixXd S = H * P * H.transpose() + R;
    const Eigen::LLT<Eigen::MatrixXd> root(S);
    require(root.info() == Eigen::Success,
            "[kalman] the covariance of the innovation is singular; take a larger R");
    const Eigen::MatrixXd K = root.solve(H * P).transpose();
    const double nis = v.dot(root.solve(v));
    double log_det = 0.0;
    for (Eigen::Index i = 0; i < S.rows(); ++i) log_det += 2.0 * std::log(root.matrixL()(i, i));
    found.nis[static_cast<std::size_t>(s)] = nis;
    found.log_likelihood[static_cast<std::size_t>(s)] =
        -0.5 * (static_cast<double>(there.size()) * std::log(2.0 * std::numbers::pi) + log_det +
                nis);
    for (std::size_t k = 0; k < there.size(); ++k) {
      found.innovation[static_cast<std::size_t>(s * m + there[k])] = v[static_cast<Eigen::Index>(k)];
    }
    mean += K * v;
    const Eigen::MatrixXd J = Eigen::MatrixXd::Identity(n, n) - K * H;
    const Eigen::MatrixXd after = J * P * J.transpose() + K * R * K.transpose();
    P = 0.5 * (after + after.transpose());
    if (!moves) continue;
    if (options_.adapt == KalmanAdapts::R) {
      const Eigen::VectorXd e = row(there) - H * mean;
      const Eigen::MatrixXd one = e * e.transpose() + H * P * H.transpose() - R;
      for (std::size_t i = 0; i < there.size(); ++i) {
        for (std::size_t j = 0; j < there.size(); ++j) {
          change_R(there[i], there[j]) +=
              one(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
        }
      }
    } else {
      const KalmanConstMap Q(Q_.data(), n, n);
      const Eigen::MatrixXd G = root.solve(H * Q).transpose();
      const Eigen::VectorXd w = G * v;
      const Eigen::MatrixXd one = w * w.transpose() - G * H * Q;
      change_Q += 0.5 * (one + one.transpose());
    }
  }
  if (!adapts || seen == 0) return;
  ticks_ += 1.0;
  if (!moves) return;
  const double share = d / static_cast<double>(streams());
  KalmanMap(R_.data(), m, m) += share * change_R;
  KalmanMap(Q_.data(), n, n) += share * change_Q;
}

void KalmanFilter::set_belief(std::span<const double> means, std::span<const double> covariances) {
  require<ShapeError>(means.size() == mean_.size() && covariances.size() == covariance_.size(),
                      "[kalman] set_belief: expected {} and {} numbers, got {} and {}",
                      mean_.size(), covariance_.size(), means.size(), covariances.size());
  std::copy(means.begin(), means.end(), mean_.begin());
  std::copy(covariances.begin(), covariances.end(), covariance_.begin());
}

std::vector<double> KalmanFilter::carried() const {
  const auto n = static_cast<std::size_t>(states());
  std::vector<double> numbers;
  for (std::size_t s = 0; s < static_cast<std::size_t>(streams()); ++s) {
    numbers.insert(numbers.end(), mean_.data() + s * n, mean_.data() + (s + 1) * n);
    numbers.insert(numbers.end(), covariance_.data() + s * n * n,
                   covariance_.data() + (s + 1) * n * n);
  }
  return numbers;
}

void KalmanFilter::set_carried(std::span<const double> numbers) {
  const auto n = static_cast<std::size_t>(states());
  const std::size_t each = n + n * n;
  require<ShapeError>(numbers.size() == each * static_cast<std::size_t>(streams()),
                      "[kalman] set_carried: expected {} numbers for each stream, got {}", each,
                      numbers.size());
  for (std::size_t s = 0; s < static_cast<std::size_t>(streams()); ++s) {
    const double* const from = numbers.data() + s * each;
    std::copy_n(from, n, mean_.data() + s * n);
    std::copy_n(from + n, n * n, covariance_.data() + s * n * n);
  }
}

std::vector<double> KalmanFilter::adapted() const {
  if (options_.adapt == KalmanAdapts::none) return {};
  std::vector<double> numbers = options_.adapt == KalmanAdapts::R ? R_ : Q_;
  numbers.push_back(ticks_);
  return numbers;
}

void KalmanFilter::set_adapted(std::span<const double> numbers) {
  std::vector<double>& noise = options_.adapt == KalmanAdapts::R ? R_ : Q_;
  require<ShapeError>(numbers.size() == noise.size() + 1,
                      "[kalman] set_adapted: expected {} numbers, got {}", noise.size() + 1,
                      numbers.size());
  std::copy_n(numbers.begin(), noise.size(), noise.begin());
  ticks_ = numbers.back();
}

}  // namespace gaia
