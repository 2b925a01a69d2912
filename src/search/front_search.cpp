// SPDX-License-Identifier: MIT
#include "front_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../core/message.h"

namespace gaia {
namespace {

constexpr std::int64_t kUsualFront = 50;

/// Points of equal probability, so many of them after the first `before`.
std::vector<std::vector<double>> random_points(const RandomStream& random, std::int64_t before,
                                               std::int64_t count, std::int64_t size) {
  std::vector<std::vector<double>> points;
  for (std::int64_t k = 0; k < count; ++k) {
    random.uniforms(static_cast<std::uint64_t>((before + k) * size),
                    points.emplace_back(static_cast<std::size_t>(size)));
  }
  return points;
}

}  // namespace

FrontSearch::FrontSearch(SearchSpace space, FrontSearchOptions options)
    : space_(std::move(space)), options_(std::move(options)) {
  require(options_.objectives >= 2, "[search] expected at least 2 objectives, got {}",
          options_.objectives);
  require(options_.evaluations >= 1, "[search] evaluations must be >= 1, got {}",
          options_.evaluations);
  require(options_.population == 0 || options_.population >= 4,
          "[search] population must be 0 or >= 4, got {}", options_.population);
  require(options_.step > 0 && std::isfinite(options_.step), "[search] step must be > 0, got {}",
          options_.step);
  require(options_.reference.empty() || std::ssize(options_.reference) == options_.objectives,
          "[search] expected a reference of {} objectives, got {}", options_.objectives,
          options_.reference.size());
  for (const double one : options_.reference) {
    require(std::isfinite(one), "[search] the reference must be finite, got {}", one);
  }
  if (options_.population == 0) {
    options_.population = std::clamp<std::int64_t>(options_.evaluations / 10, 4, kUsualFront);
  }
  if (options_.method == SearchMethod::random) return;
  const auto size = static_cast<std::size_t>(space_.size());
  // The first points have draws of their own, apart from those of the steps.
  const RandomStream first =
      RandomStream::named(options_.random.seed, std::to_string(options_.random.stream) + "/first");
  strategy_.emplace(random_points(first, 0, options_.population, space_.size()), options_.step,
                    MoCmaEsOptions{.objectives = options_.objectives,
                                   .low = std::vector<double>(size, 0.0),
                                   .high = std::vector<double>(size, 1.0),
                                   .random = options_.random});
}

std::vector<std::vector<double>> FrontSearch::points() const {
  if (strategy_) return strategy_->ask();
  return random_points(options_.random, generation_ * options_.population, options_.population,
                       space_.size());
}

std::vector<std::vector<double>> FrontSearch::ask() const {
  std::vector<std::vector<double>> candidates;
  for (const std::vector<double>& point : points()) candidates.push_back(space_.values(point));
  return candidates;
}

void FrontSearch::tell(const std::vector<Objectives>& objectives) {
  if (is_done()) throw ArgumentError("[search] the search is done: " + result_.why_stopped);
  const std::vector<std::vector<double>> candidates = ask();
  require(objectives.size() == candidates.size(),
          "[search] expected the objectives of {} candidates, got {}", candidates.size(),
          objectives.size());
  for (const Objectives& one : objectives) {
    require(std::ssize(one) == options_.objectives, "[search] expected {} objectives, got {}",
            options_.objectives, one.size());
  }
  // What no other of its generation dominates may be on the front.
  std::vector<std::size_t> places = result_.front;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    places.push_back(result_.history.size());
    result_.history.push_back({generation_, candidates[k], objectives[k]});
  }
  std::vector<Objectives> values;
  for (const std::size_t place : places) values.push_back(result_.history[place].objectives);
  result_.front.clear();
  std::vector<Objectives> front;
  for (const std::size_t one : non_dominated(values)) {
    result_.front.push_back(places[one]);
    front.push_back(values[one]);
  }
  if (!options_.reference.empty()) {
    result_.hypervolumes.push_back(hypervolume(front, options_.reference));
  }
  ++generation_;
  if (strategy_) strategy_->tell(objectives);
  if (std::ssize(result_.history) >= options_.evaluations) {
    result_.why_stopped = "all evaluations are done";
  } else if (strategy_) {
    result_.why_stopped = strategy_->why_stopped();
  }
}

FrontSearchResult search_front(
    const std::function<Objectives(const std::vector<double>&)>& objectives,
    const SearchSpace& space, const FrontSearchOptions& options) {
  FrontSearch turns(space, options);
  while (!turns.is_done()) {
    std::vector<Objectives> values;
    for (const std::vector<double>& one : turns.ask()) values.push_back(objectives(one));
    turns.tell(values);
  }
  return turns.result();
}

}  // namespace gaia
