// SPDX-License-Identifier: MIT
#include "plasticity_controller.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../core/message.h"

namespace gaia {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

/// Whether a score is above that of another, or is one where that is none.
bool is_above(double score, double other) { return std::isfinite(score) && !(score <= other); }

SearchOptions search_options(const PlasticityControllerOptions& options) {
  return {.method = options.method,
          .evaluations = std::numeric_limits<std::int64_t>::max(),
          .population = options.population_size,
          .start = options.start,
          .step = options.exploration_noise,
          .mean_rate = options.adaptation_rate,
          .random = options.random};
}

}  // namespace

PlasticityController::PlasticityController(SearchSpace space, PlasticityObjective objective,
                                           PlasticityControllerOptions options)
    : space_(std::move(space)), objective_(std::move(objective)), options_(std::move(options)) {
  if (!objective_) {
    throw ArgumentError("[PlasticityController] expected an objective to call, got an empty one");
  }
  if (options_.seeds.empty()) {
    throw ArgumentError(
        "[PlasticityController] expected a seed or more for the runs of a candidate, got none");
  }
  for (const std::uint64_t seed : options_.held_out_seeds) {
    if (std::find(options_.seeds.begin(), options_.seeds.end(), seed) != options_.seeds.end()) {
      fail<ArgumentError>(
          "[PlasticityController] expected held-out seeds that are not among the seeds, got {} in "
          "both",
          seed);
    }
  }
  reset_state();
}

void PlasticityController::reset_state() {
  search_.emplace(space_, search_options(options_));
  params_ = options_.start;
  if (params_.empty()) {
    params_ = space_.values(std::vector<double>(static_cast<std::size_t>(space_.size()), 0.5));
  }
  fitness_ = performance_ = kNoScore;
  runs_ = 0;
  param_history_.clear();
  performance_history_.clear();
}

double PlasticityController::score(const std::vector<double>& params,
                                   std::span<const std::uint64_t> seeds) {
  double sum = 0.0;
  for (const std::uint64_t seed : seeds) {
    sum += objective_(params, seed);
    ++runs_;
  }
  const double mean = sum / static_cast<double>(seeds.size());
  return std::isfinite(mean) ? mean : kNoScore;
}

double PlasticityController::adapt_plasticity() {
  const std::vector<std::uint64_t>& held_out = options_.held_out_seeds;
  const auto keep = [&] {
    param_history_.push_back(params_);
    performance_history_.push_back(performance_);
  };
  if (param_history_.empty()) {
    fitness_ = score(params_, options_.seeds);
    performance_ = held_out.empty() ? fitness_ : score(params_, held_out);
    keep();
  }
  const std::vector<std::vector<double>> candidates = search_->ask();
  std::vector<double> objectives;
  std::size_t best = 0;
  for (const std::vector<double>& candidate : candidates) {
    objectives.push_back(-score(candidate, options_.seeds));
    if (is_above(-objectives.back(), -objectives[best])) best = objectives.size() - 1;
  }
  search_->tell(objectives);
  const double fitness = -objectives[best];
  if (is_above(fitness, fitness_)) {
    const double performance = held_out.empty() ? fitness : score(candidates[best], held_out);
    if (is_above(performance, performance_)) {
      params_ = candidates[best];
      fitness_ = fitness;
      performance_ = performance;
    }
  }
  keep();
  return performance_;
}

}  // namespace gaia
