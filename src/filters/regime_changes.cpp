// SPDX-License-Identifier: MIT
#include "regime_changes.h"

#include <cstddef>

#include "../core/error.h"
#include "../core/message.h"

namespace gaia {

RegimeTracker::RegimeTracker(std::int64_t models, std::int64_t stay)
    : models_(models), stay_(stay) {
  require(models >= 1, "[regime_changes] expected one model or more, got {}", models);
  require(stay >= 1, "[regime_changes] stay: expected one tick or more, got {}", stay);
}

void RegimeTracker::begin_trial() {
  regime_ = -1;
  candidate_ = -1;
}

std::optional<RegimeChange> RegimeTracker::take(std::span<const double> probabilities) {
  require<ShapeError>(std::ssize(probabilities) == models_,
                      "[regime_changes] expected {} probabilities, got {}", models_,
                      probabilities.size());
  std::int64_t probable = -1;
  for (std::int64_t j = 0; j < models_; ++j) {
    if (probabilities[static_cast<std::size_t>(j)] > 0.5) probable = j;
  }
  if (probable != candidate_) since_ = tick_;
  candidate_ = probable;
  ++tick_;
  if (probable < 0 || probable == regime_ || tick_ - since_ < stay_) return std::nullopt;
  const std::int64_t before = regime_;
  regime_ = probable;
  if (before < 0) return std::nullopt;
  return RegimeChange{since_, before, probable};
}

std::vector<RegimeChange> regime_changes(std::span<const double> probabilities, std::int64_t models,
                                         std::span<const std::int64_t> trial_starts,
                                         std::int64_t stay) {
  RegimeTracker tracker(models, stay);
  const auto numbers = std::ssize(probabilities);
  require<ShapeError>(numbers % models == 0,
                      "[regime_changes] expected rows of {} probabilities, got {} numbers", models,
                      numbers);
  std::vector<RegimeChange> changes;
  auto start = trial_starts.begin();
  for (std::int64_t tick = 0; tick < numbers / models; ++tick) {
    while (start != trial_starts.end() && *start < tick) ++start;
    if (start != trial_starts.end() && *start == tick) tracker.begin_trial();
    const auto row = probabilities.subspan(static_cast<std::size_t>(tick * models),
                                           static_cast<std::size_t>(models));
    if (const auto change = tracker.take(row)) changes.push_back(*change);
  }
  return changes;
}

}  // namespace gaia
