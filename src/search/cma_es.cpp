// SPDX-License-Identifier: MIT
#include "cma_es.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "../core/message.h"

namespace gaia {
namespace {

using Matrix = Eigen::Map<Eigen::MatrixXd>;
using ConstMatrix = Eigen::Map<const Eigen::MatrixXd>;
using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;

constexpr double kLargestCondition = 1e14;

ConstVector view(const std::vector<double>& numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}
Vector view(std::vector<double>& numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}
ConstMatrix square(const std::vector<double>& numbers, std::int64_t n) {
  return {numbers.data(), n, n};
}

/// The mean length of a standard normal vector, to 1/n^2.
double mean_length(double n) { return std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n)); }

/// Generations over which best values are compared (the tutorial's tolfun).
std::size_t generations_compared(std::int64_t n, std::int64_t population) {
  return static_cast<std::size_t>(
      10 + std::ceil(30.0 * static_cast<double>(n) / static_cast<double>(population)));
}

}  // namespace

CmaEs::CmaEs(std::vector<double> mean, double step, const CmaEsOptions& options)
    : options_(options), first_step_(std::min(step, options.largest_step)) {
  const auto n = static_cast<std::int64_t>(mean.size());
  if (n == 0) throw ArgumentError("[cma_es] expected a mean of at least one parameter, got none");
  for (const double value : mean) {
    if (!std::isfinite(value)) {
      fail<ArgumentError>("[cma_es] the mean must be finite, got {}", std::to_string(value));
    }
  }
  if (!(step > 0) || !std::isfinite(step)) {
    fail<ArgumentError>("[cma_es] the step must be > 0, got {}", std::to_string(step));
  }
  if (!(options.largest_step > 0)) {
    fail<ArgumentError>("[cma_es] the largest step must be > 0, got {}",
                        std::to_string(options.largest_step));
  }
  if (!(options.mean_rate > 0 && options.mean_rate <= 1)) {
    fail<ArgumentError>("[cma_es] the mean rate must be above 0 and up to 1, got {}",
                        std::to_string(options.mean_rate));
  }
  population_ = options.population != 0
                    ? options.population
                    : 4 + static_cast<std::int64_t>(3 * std::log(static_cast<double>(n)));
  if (population_ < 4) {
    fail<ArgumentError>("[cma_es] the population must be at least 4, got {}; 0 chooses one",
                        population_);
  }
  const auto size = static_cast<std::size_t>(n);
  state_.step = first_step_;
  state_.mean = std::move(mean);
  state_.step_path.assign(size, 0.0);
  state_.path.assign(size, 0.0);
  state_.scales.assign(size, 1.0);
  if (options_.separable) {
    state_.covariance.assign(size, 1.0);
  } else {
    state_.covariance.assign(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) state_.covariance[i * size + i] = 1.0;
    state_.axes = state_.covariance;
  }
  set_rates();
}

/// Table 1 of the tutorial.
void CmaEs::set_rates() {
  const auto n = static_cast<double>(parameters());
  const auto size = static_cast<std::size_t>(population_);
  weights_.resize(size);
  double better = 0, better_squares = 0, worse = 0, worse_squares = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double w =
        std::log((static_cast<double>(population_) + 1) / 2) - std::log(static_cast<double>(i + 1));
    weights_[i] = w;
    const bool is_better = i < size / 2;
    (is_better ? better : worse) += w;
    (is_better ? better_squares : worse_squares) += w * w;
  }
  const double mass = better * better / better_squares;
  const double worse_mass = worse_squares > 0 ? worse * worse / worse_squares : 0;
  rates_.mean_mass = mass;
  // At most 1/2: with large populations the path would have no memory.
  rates_.step_path = std::min(0.5, (mass + 2) / (n + mass + 5));
  rates_.damping = 1 + 2 * std::max(0.0, std::sqrt((mass - 1) / (n + 1)) - 1) + rates_.step_path;
  rates_.path = (4 + mass / n) / (n + 4 + 2 * mass / n);
  rates_.rank_one = 2 / ((n + 1.3) * (n + 1.3) + mass);
  rates_.rank_mu = std::min(1 - rates_.rank_one,
                            2 * (0.25 + mass + 1 / mass - 2) / ((n + 2) * (n + 2) + 2 * mass / 2));
  if (options_.separable) {  // n numbers are learnt faster than n^2 (Ros & Hansen)
    const double faster = (n + 2) / 3;
    rates_.rank_one = std::min(1.0, faster * rates_.rank_one);
    rates_.rank_mu = std::min(1 - rates_.rank_one, faster * rates_.rank_mu);
  }
  const double limit =
      std::min({1 + rates_.rank_one / rates_.rank_mu, 1 + 2 * worse_mass / (mass + 2),
                (1 - rates_.rank_one - rates_.rank_mu) / (n * rates_.rank_mu)});
  for (std::size_t i = 0; i < size; ++i) {
    weights_[i] = i < size / 2 ? weights_[i] / better
                               : (worse != 0 ? limit * weights_[i] / std::abs(worse) : 0.0);
  }
}

/// y of the tutorial: a draw from N(0, C).
std::vector<double> CmaEs::steps_of(std::int64_t candidate) const {
  const std::int64_t n = parameters();
  std::vector<double> steps(static_cast<std::size_t>(n));
  const std::int64_t before = state_.generation * population_ + candidate;
  options_.random.normals(static_cast<std::uint64_t>(before * n), steps);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] *= state_.scales[i];
  if (options_.separable) return steps;
  const Eigen::VectorXd turned = square(state_.axes, n) * view(std::as_const(steps));
  return {turned.begin(), turned.end()};
}

std::vector<std::vector<double>> CmaEs::ask() const {
  std::vector<std::vector<double>> candidates;
  for (std::int64_t k = 0; k < population_; ++k) {
    std::vector<double>& x = candidates.emplace_back(steps_of(k));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = state_.mean[i] + state_.step * x[i];
  }
  return candidates;
}

void CmaEs::tell(std::span<const double> values) {
  if (static_cast<std::int64_t>(values.size()) != population_) {
    fail<ArgumentError>("[cma_es] expected the values of {} candidates, got {}", population_,
                        values.size());
  }
  const std::int64_t n = parameters();
  const auto worth = [&](std::size_t k) {
    return std::isnan(values[k]) ? std::numeric_limits<double>::infinity() : values[k];
  };
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return worth(a) < worth(b); });

  Eigen::MatrixXd steps(n, population_);  // one a column, the best first
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::vector<double> y = steps_of(static_cast<std::int64_t>(order[i]));
    steps.col(static_cast<Eigen::Index>(i)) = view(y);
  }
  if (state_.best.empty() || worth(order[0]) < state_.best_value) {
    const Eigen::VectorXd x = view(std::as_const(state_.mean)) + state_.step * steps.col(0);
    state_.best.assign(x.begin(), x.end());
    state_.best_value = worth(order[0]);
  }
  state_.best_of_last.push_back(worth(order[0]));
  if (state_.best_of_last.size() > generations_compared(n, population_)) {
    state_.best_of_last.erase(state_.best_of_last.begin());
  }
  state_.worst_of_generation = worth(order.back());

  Vector mean = view(state_.mean), step_path = view(state_.step_path), path = view(state_.path);
  const ConstVector scales = view(std::as_const(state_.scales));
  const Eigen::Map<const Eigen::VectorXd> weights = view(std::as_const(weights_));
  const Eigen::Index better = population_ / 2;
  const Eigen::VectorXd move = steps.leftCols(better) * weights.head(better);
  // C^(-1/2) of the columns of a matrix.
  const auto whitened = [&](const Eigen::MatrixXd& y) -> Eigen::MatrixXd {
    if (options_.separable) return scales.cwiseInverse().asDiagonal() * y;
    const ConstMatrix axes = square(state_.axes, n);
    return axes * (scales.cwiseInverse().asDiagonal() * (axes.transpose() * y));
  };

  mean += options_.mean_rate * state_.step * move;
  const double c_step = rates_.step_path;
  step_path = (1 - c_step) * step_path +
              std::sqrt(c_step * (2 - c_step) * rates_.mean_mass) * whitened(move).col(0);
  const auto dimension = static_cast<double>(n);
  const double expected = mean_length(dimension);
  const double settled =
      std::sqrt(1 - std::pow(1 - c_step, 2.0 * static_cast<double>(state_.generation + 1)));
  const bool holds = step_path.norm() / settled < (1.4 + 2 / (dimension + 1)) * expected;
  const double c_path = rates_.path;
  path = (1 - c_path) * path +
         (holds ? std::sqrt(c_path * (2 - c_path) * rates_.mean_mass) : 0.0) * move;

  Eigen::VectorXd shares = weights;
  const Eigen::VectorXd lengths = whitened(steps).colwise().squaredNorm();
  for (Eigen::Index i = 0; i < shares.size(); ++i) {
    if (shares(i) < 0) shares(i) *= dimension / std::max(lengths(i), 1e-300);
  }
  const double kept = 1 - rates_.rank_one - rates_.rank_mu * weights.sum() +
                      (holds ? 0.0 : rates_.rank_one * c_path * (2 - c_path));
  if (options_.separable) {
    Vector variances = view(state_.covariance);
    variances = kept * variances + rates_.rank_one * path.cwiseAbs2() +
                rates_.rank_mu * (steps.cwiseAbs2() * shares);
  } else {
    Matrix covariance(state_.covariance.data(), n, n);
    covariance = kept * covariance + rates_.rank_one * path * path.transpose() +
                 rates_.rank_mu * steps * shares.asDiagonal() * steps.transpose();
  }
  state_.step *=
      std::exp(std::min(1.0, c_step / rates_.damping * (step_path.norm() / expected - 1)));
  ++state_.generation;
  // O(n^3) is spread over so many generations that it costs O(n^2) a candidate.
  const double apart = 1 / (10 * dimension * (rates_.rank_one + rates_.rank_mu));
  if (options_.separable ||
      static_cast<double>(state_.generation - state_.decomposed_at) >= apart) {
    decompose();
  }
  cut_steps();
}

/// Shrinks the steps of parameters whose standard deviation is above the largest, as pycma does
/// with `maxstd`: the others keep theirs.
void CmaEs::cut_steps() {
  const std::int64_t n = parameters();
  const auto variance_of = [&](std::int64_t i) {
    return state_.covariance[static_cast<std::size_t>(options_.separable ? i : i * n + i)];
  };
  Eigen::VectorXd factors = Eigen::VectorXd::Ones(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double deviation = state_.step * std::sqrt(std::max(0.0, variance_of(i)));
    if (deviation > options_.largest_step) factors(i) = options_.largest_step / deviation;
  }
  if ((factors.array() == 1.0).all()) return;
  if (options_.separable) {
    view(state_.covariance).array() *= factors.array().square();
  } else {
    Matrix covariance(state_.covariance.data(), n, n);
    covariance = (factors.asDiagonal() * covariance * factors.asDiagonal()).eval();
  }
  view(state_.path).array() *= factors.array();
  decompose();
}

void CmaEs::decompose() {
  state_.decomposed_at = state_.generation;
  const std::int64_t n = parameters();
  if (options_.separable) {
    view(state_.scales) = view(std::as_const(state_.covariance)).cwiseMax(0.0).cwiseSqrt();
    return;
  }
  Matrix covariance(state_.covariance.data(), n, n);
  covariance = (0.5 * (covariance + covariance.transpose())).eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(covariance);
  if (solved.info() != Eigen::Success) return;  // the last ones go on
  Matrix(state_.axes.data(), n, n) = solved.eigenvectors();
  view(state_.scales) = solved.eigenvalues().cwiseMax(0.0).cwiseSqrt();
}

std::string CmaEs::why_stopped() const {
  const std::int64_t n = parameters();
  const ConstVector scales = view(state_.scales);
  const double largest = scales.maxCoeff(), least = scales.minCoeff();
  if (!std::isfinite(state_.step * largest)) return "the steps grew beyond all numbers";
  if (!(least > 0) || largest * largest > kLargestCondition * least * least) {
    return "the variances of two directions differ by more than 1e14 times";
  }
  if (state_.step * largest < options_.step_tolerance * first_step_ &&
      state_.step * view(state_.path).cwiseAbs().maxCoeff() <
          options_.step_tolerance * first_step_) {
    return "the steps are too small to matter";
  }
  const std::vector<double>& last = state_.best_of_last;
  if (last.size() == generations_compared(n, population_)) {
    const auto [lowest, highest] = std::minmax_element(last.begin(), last.end());
    if (std::max(*highest, state_.worst_of_generation) - *lowest < options_.value_tolerance) {
      return "the values no longer differ";
    }
  }
  return "";
}

}  // namespace gaia
