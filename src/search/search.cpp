// SPDX-License-Identifier: MIT
#include "search.h"

#include <cmath>
#include <utility>

#include "../core/message.h"

namespace gaia {
namespace {

/// Largest standard deviation of a coordinate, as a share of its scale.  Longer steps leave the
/// scale on both sides, where it is mirrored: then all candidates come from everywhere, none is
/// better for where the mean is, and the steps grow on.
constexpr double kLargestStep = 1.0 / 3.0;

}  // namespace

Search::Search(SearchSpace space, SearchOptions options)
    : space_(std::move(space)), options_(std::move(options)) {
  require(options_.evaluations >= 1, "[search] evaluations must be >= 1, got {}",
          options_.evaluations);
  require(options_.population == 0 || options_.population >= 4,
          "[search] population must be 0 or >= 4, got {}", options_.population);
  require(options_.step > 0 && std::isfinite(options_.step), "[search] step must be > 0, got {}",
          options_.step);
  require(options_.mean_rate > 0 && options_.mean_rate <= 1,
          "[search] mean_rate must be above 0 and up to 1, got {}", options_.mean_rate);
  if (!options_.start.empty()) space_.point(options_.start);  // which throws where it is outside
  result_.objective = std::numeric_limits<double>::infinity();
  begin_strategy(options_.population);
}

void Search::begin_strategy(std::int64_t population) {
  if (options_.method == SearchMethod::random) {
    // A generation is only what is evaluated at once.
    if (options_.population == 0) options_.population = 16;
    return;
  }
  const auto size = static_cast<std::size_t>(space_.size());
  std::vector<double> mean(size, 0.5);
  RandomStream stream = options_.random;
  if (result_.restarts > 0) {
    // Each start has a place and draws of its own.
    stream = RandomStream::named(
        options_.random.seed,
        std::to_string(options_.random.stream) + "/restart/" + std::to_string(result_.restarts));
    stream.uniforms(1ULL << 62, mean);
  } else if (!options_.start.empty()) {
    mean = space_.point(options_.start);
  }
  strategy_.emplace(std::move(mean), options_.step,
                    CmaEsOptions{.population = population,
                                 .separable = options_.separable,
                                 .mean_rate = options_.mean_rate,
                                 .largest_step = kLargestStep,
                                 .random = stream});
}

std::vector<std::vector<double>> Search::points() const {
  if (strategy_) return strategy_->ask();
  std::vector<std::vector<double>> points;
  const auto size = static_cast<std::size_t>(space_.size());
  for (std::int64_t k = 0; k < options_.population; ++k) {
    const std::int64_t before = generation_ * options_.population + k;
    options_.random.uniforms(static_cast<std::uint64_t>(before) * size, points.emplace_back(size));
  }
  return points;
}

std::vector<std::vector<double>> Search::ask() const {
  std::vector<std::vector<double>> candidates;
  for (const std::vector<double>& point : points()) candidates.push_back(space_.values(point));
  return candidates;
}

void Search::tell(std::span<const double> objectives) {
  if (is_done()) throw ArgumentError("[search] the search is done: " + result_.why_stopped);
  const std::vector<std::vector<double>> candidates = ask();
  if (objectives.size() != candidates.size()) {
    fail<ArgumentError>("[search] expected the objectives of {} candidates, got {}",
                        candidates.size(), objectives.size());
  }
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const bool is_better = objectives[k] < result_.objective;
    if (is_better || result_.best.empty()) result_.best = candidates[k];
    if (is_better) result_.objective = objectives[k];
    result_.history.push_back({generation_, candidates[k], objectives[k]});
  }
  ++generation_;
  if (strategy_) strategy_->tell(objectives);
  const auto evaluated = static_cast<std::int64_t>(result_.history.size());
  if (result_.objective <= options_.target) {
    result_.why_stopped = "the target is reached";
  } else if (evaluated >= options_.evaluations) {
    result_.why_stopped = "all evaluations are done";
  } else if (strategy_ && !strategy_->why_stopped().empty()) {
    ++result_.restarts;
    begin_strategy(2 * strategy_->population());
  }
}

SearchResult search(const std::function<double(const std::vector<double>&)>& objective,
                    const SearchSpace& space, const SearchOptions& options) {
  Search turns(space, options);
  while (!turns.is_done()) {
    std::vector<double> objectives;
    for (const std::vector<double>& values : turns.ask()) objectives.push_back(objective(values));
    turns.tell(objectives);
  }
  return turns.result();
}

}  // namespace gaia
