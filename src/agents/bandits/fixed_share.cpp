// SPDX-License-Identifier: MIT
#include "fixed_share.h"

#include <algorithm>
#include <cmath>

namespace gaia::agents {

FixedShare::FixedShare(std::int64_t experts, const FixedShareOptions& options) : options_(options) {
  require(experts >= 1, "[FixedShare] experts: expected at least 1, got {}", experts);
  require(options.rate > 0 && std::isfinite(options.rate),
          "[FixedShare] rate: expected a number above 0, got {}", options.rate);
  require(options.share >= 0 && options.share <= 1,
          "[FixedShare] share: expected a number from 0 to 1, got {}", options.share);
  log_weights_.assign(static_cast<std::size_t>(experts), -std::log(static_cast<double>(experts)));
}

std::vector<double> FixedShare::weights() const {
  std::vector<double> weights;
  for (const double one : log_weights_) weights.push_back(std::exp(one));
  return weights;
}

void FixedShare::learn(std::span<const double> losses) {
  require(losses.size() == log_weights_.size(),
          "[FixedShare] losses: expected one for each of {} experts, got {}", log_weights_.size(),
          losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    require(std::isfinite(losses[i]), "[FixedShare] losses: expected finite numbers, got {} of {}",
            losses[i], i);
  }
  std::vector<double> logs = log_weights_;
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] -= options_.rate * losses[i];
  const double highest = *std::ranges::max_element(logs);
  double sum = 0.0;
  for (const double one : logs) sum += std::exp(one - highest);
  const double log_sum = highest + std::log(sum);
  const double others = static_cast<double>(logs.size() - 1);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    log_weights_[i] = logs[i] - log_sum;
    if (options_.share == 0 || logs.size() == 1) continue;
    const double v = std::exp(log_weights_[i]);
    log_weights_[i] = std::log((1 - options_.share) * v + options_.share / others * (1 - v));
  }
}

SavedState FixedShare::save() const { return {{"log_weights", log_weights_}}; }

void FixedShare::restore(const SavedState& saved) {
  const std::vector<double>& logs = saved_numbers(saved, "log_weights", log_weights_.size());
  for (const double one : logs) {
    require(!std::isnan(one) && one <= 1e-9,
            "[FixedShare] restore: log_weights: expected logarithms of shares, got {}", one);
  }
  log_weights_ = logs;
}

}  // namespace gaia::agents
