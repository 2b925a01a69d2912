// SPDX-License-Identifier: MIT
#include "mo_cma_es.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "../core/finite.h"
#include "../core/message.h"

namespace gaia {
namespace {

using ParentMatrix = Eigen::Map<Eigen::MatrixXd>;
using ConstParentMatrix = Eigen::Map<const Eigen::MatrixXd>;
using ParentVector = Eigen::Map<Eigen::VectorXd>;
using ConstParentVector = Eigen::Map<const Eigen::VectorXd>;

// Table 1 of the paper, with one child.
constexpr double kTargetSuccess = 1 / 5.5;
constexpr double kSuccessRate = kTargetSuccess / (2 + kTargetSuccess);
constexpr double kMostSuccess = 0.44;  ///< Above it the path stands still.

}  // namespace

MoCmaEs::MoCmaEs(std::vector<std::vector<double>> first, double step, const MoCmaEsOptions& options)
    : options_(options), first_(std::move(first)), first_step_(step) {
  require(!first_.empty() && !first_.front().empty(),
          "[mo_cma_es] expected first points of at least one parameter, got {} of them",
          first_.size());
  const std::size_t n = first_.front().size();
  for (const std::vector<double>& point : first_) {
    require(point.size() == n, "[mo_cma_es] expected first points of {} parameters, got {}", n,
            point.size());
    if (are_finite(point)) continue;
    require(false, "[mo_cma_es] the first points must be finite, got {}",
            *std::find_if(point.begin(), point.end(), [](double x) { return !std::isfinite(x); }));
  }
  require(step > 0 && std::isfinite(step), "[mo_cma_es] the step must be > 0, got {}", step);
  require(options_.objectives >= 2, "[mo_cma_es] expected at least 2 objectives, got {}",
          options_.objectives);
  require(options_.penalty >= 0 && std::isfinite(options_.penalty),
          "[mo_cma_es] the penalty must be >= 0, got {}", options_.penalty);
  if (options_.low.empty() && options_.high.empty()) return;
  require(options_.low.size() == n && options_.high.size() == n,
          "[mo_cma_es] expected {} lower and as many upper bounds, got {} and {}", n,
          options_.low.size(), options_.high.size());
  for (std::size_t j = 0; j < n; ++j) {
    require(options_.low[j] < options_.high[j],
            "[mo_cma_es] expected lower bounds below upper ones, got {} and {} of parameter {}",
            options_.low[j], options_.high[j], j);
  }
}

std::vector<double> MoCmaEs::inside(std::span<const double> point) const {
  std::vector<double> nearest(point.begin(), point.end());
  for (std::size_t j = 0; j < options_.low.size(); ++j) {
    nearest[j] = std::clamp(nearest[j], options_.low[j], options_.high[j]);
  }
  return nearest;
}

Objectives MoCmaEs::penalised(const Objectives& values, std::span<const double> point) const {
  const std::vector<double> nearest = inside(point);
  double squares = 0.0;
  for (std::size_t j = 0; j < nearest.size(); ++j) {
    squares += (point[j] - nearest[j]) * (point[j] - nearest[j]);
  }
  Objectives all = values;
  for (double& one : all) one += options_.penalty * squares;
  return all;
}

std::vector<double> MoCmaEs::step_of(std::size_t parent) const {
  const std::int64_t n = parameters();
  std::vector<double> draws(static_cast<std::size_t>(n));
  const std::int64_t before = generation_ * population() + static_cast<std::int64_t>(parent);
  options_.random.normals(static_cast<std::uint64_t>(before * n), draws);
  const ConstParentMatrix covariance(parents_[parent].covariance.data(), n, n);
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  ParentVector normal(draws.data(), n);
  if (factor.info() == Eigen::Success) {
    normal = (factor.matrixL() * normal).eval();
  } else {  // Variances of directions differ by more than 1e16 times: without their covariances.
    normal = normal.cwiseProduct(covariance.diagonal().cwiseMax(0.0).cwiseSqrt()).eval();
  }
  return draws;
}

std::vector<std::vector<double>> MoCmaEs::ask() const {
  std::vector<std::vector<double>> candidates;
  for (std::size_t k = 0; k < first_.size(); ++k) {
    if (parents_.empty()) {
      candidates.push_back(inside(first_[k]));
      continue;
    }
    std::vector<double> child = step_of(k);
    for (std::size_t j = 0; j < child.size(); ++j) {
      child[j] = parents_[k].point[j] + parents_[k].step * child[j];
    }
    candidates.push_back(inside(child));
  }
  return candidates;
}

/// Procedure updateStepSize of the paper.
void MoCmaEs::adapt_step(MoCmaEsParent& one, bool is_success) const {
  one.success = (1 - kSuccessRate) * one.success + (is_success ? kSuccessRate : 0.0);
  const double damping = 1 + static_cast<double>(parameters()) / 2;
  one.step *=
      std::exp((one.success - kTargetSuccess / (1 - kTargetSuccess) * (1 - one.success)) / damping);
}

/// Procedure updateCovariance of the paper.
void MoCmaEs::adapt_covariance(MoCmaEsParent& one, std::span<const double> step) const {
  const std::int64_t size = parameters();
  const auto n = static_cast<double>(size);
  const double path_rate = 2 / (n + 2);
  const double rate = 2 / (n * n + 6);
  ParentVector path(one.path.data(), size);
  ParentMatrix covariance(one.covariance.data(), size, size);
  path *= 1 - path_rate;
  const bool goes_on = one.success < kMostSuccess;
  if (goes_on) {
    path += std::sqrt(path_rate * (2 - path_rate)) * ConstParentVector(step.data(), size);
  }
  // A path that stood still has lost variance, which the covariance makes up for.
  const double kept = 1 - rate + (goes_on ? 0.0 : rate * path_rate * (2 - path_rate));
  covariance = kept * covariance + rate * path * path.transpose();
}

void MoCmaEs::tell(const std::vector<Objectives>& values) {
  require(values.size() == first_.size(),
          "[mo_cma_es] expected the values of {} candidates, got {}", first_.size(), values.size());
  for (const Objectives& one : values) {
    require(std::ssize(one) == options_.objectives,
            "[mo_cma_es] expected the values of {} objectives, got {}", options_.objectives,
            one.size());
  }
  const std::size_t n = first_.front().size();
  if (parents_.empty()) {
    std::vector<double> round(n * n, 0.0);
    for (std::size_t j = 0; j < n; ++j) round[j * n + j] = 1.0;
    std::vector<MoCmaEsParent> made;
    for (std::size_t k = 0; k < first_.size(); ++k) {
      made.push_back({first_[k], penalised(values[k], first_[k]), first_step_, kTargetSuccess,
                      std::vector<double>(n, 0.0), round});
    }
    std::vector<Objectives> all;
    for (const MoCmaEsParent& one : made) all.push_back(one.values);
    for (const std::size_t place : order_by_dominance(all)) {
      parents_.push_back(std::move(made[place]));
    }
    ++generation_;
    return;
  }

  std::vector<MoCmaEsParent> both = parents_;
  std::vector<std::vector<double>> steps;
  std::vector<Objectives> all;
  for (const MoCmaEsParent& one : both) all.push_back(one.values);
  for (std::size_t k = 0; k < first_.size(); ++k) {
    MoCmaEsParent child = parents_[k];
    steps.push_back(step_of(k));
    for (std::size_t j = 0; j < n; ++j) child.point[j] += child.step * steps[k][j];
    child.values = penalised(values[k], child.point);
    all.push_back(child.values);
    both.push_back(std::move(child));
  }
  const std::vector<std::size_t> order = order_by_dominance(all);
  std::vector<std::size_t> place_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place_of[order[i]] = i;
  const std::size_t count = parents_.size();
  for (std::size_t k = 0; k < count; ++k) {
    const bool is_success = place_of[count + k] < place_of[k];
    adapt_step(both[k], is_success);
    adapt_step(both[count + k], is_success);
    adapt_covariance(both[count + k], steps[k]);
  }
  parents_.clear();
  for (std::size_t i = 0; i < count; ++i) parents_.push_back(std::move(both[order[i]]));
  ++generation_;
}

std::string MoCmaEs::why_stopped() const {
  bool are_small = !parents_.empty();
  for (const MoCmaEsParent& one : parents_) {
    const ConstParentMatrix covariance(one.covariance.data(), parameters(), parameters());
    const double reach = one.step * std::sqrt(covariance.diagonal().maxCoeff());
    if (!std::isfinite(reach)) return "the steps grew beyond all numbers";
    are_small = are_small && reach < options_.step_tolerance * first_step_;
  }
  return are_small ? "the steps are too small to matter" : "";
}

}  // namespace gaia
