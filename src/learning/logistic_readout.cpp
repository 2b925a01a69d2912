// SPDX-License-Identifier: MIT
#include "logistic_readout.h"

#include <algorithm>

#include "../core/message.h"

namespace gaia {

std::unique_ptr<ReadoutModel> LogisticOptions::make(const ReadoutSizes& sizes) const {
  return std::make_unique<LogisticReadout>(sizes, *this);
}

LogisticReadout::LogisticReadout(const ReadoutSizes& sizes, const LogisticOptions& options)
    : sizes_(sizes),
      regression_(sizes.features, options.l2, options.class_weight),
      shares_(static_cast<std::size_t>(sizes.targets)) {}

void LogisticReadout::add(std::span<const double> features, std::span<const double> targets) {
  if (std::ssize(features) != std::ssize(targets) * sizes_.features) {
    fail<ShapeError>("[LogisticReadout] {} classes need {} numbers of features, got {}",
                     targets.size(), std::ssize(targets) * sizes_.features, features.size());
  }
  features_.insert(features_.end(), features.begin(), features.end());
  codes_.insert(codes_.end(), targets.begin(), targets.end());
}

void LogisticReadout::solve() {
  if (codes_.empty()) throw DataError("its training part has no labels");
  regression_.fit(features_, codes_);
  for (const std::int64_t code : codes_) {
    shares_[static_cast<std::size_t>(code)] += 1.0 / static_cast<double>(codes_.size());
  }
  features_ = {};
  codes_ = {};
}

std::vector<double> LogisticReadout::predict(std::span<const double> features) {
  const std::vector<double> known = regression_.probabilities(features);
  const std::vector<std::int64_t>& classes = regression_.classes();
  const auto rows = features.size() / static_cast<std::size_t>(sizes_.features);
  const auto width = static_cast<std::size_t>(sizes_.targets);
  std::vector<double> probabilities(rows * width);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < classes.size(); ++k) {
      probabilities[row * width + static_cast<std::size_t>(classes[k])] =
          known[row * classes.size() + k];
    }
  }
  return probabilities;
}

ReadoutSolution LogisticReadout::solution() const {
  const auto features = static_cast<std::size_t>(sizes_.features);
  const auto all = static_cast<std::size_t>(sizes_.targets);
  ReadoutSolution solution{std::vector<double>(all * features), std::vector<double>(all), shares_};
  const std::vector<std::int64_t>& classes = regression_.classes();
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const auto code = static_cast<std::size_t>(classes[k]);
    std::copy_n(regression_.weights().begin() + static_cast<std::ptrdiff_t>(k * features), features,
                solution.weights.begin() + static_cast<std::ptrdiff_t>(code * features));
    solution.intercepts[code] = regression_.intercepts()[k];
  }
  return solution;
}

void LogisticReadout::set_solution(const ReadoutSolution& solution) {
  const auto features = static_cast<std::size_t>(sizes_.features);
  const auto classes = static_cast<std::size_t>(sizes_.targets);
  if (solution.weights.size() != classes * features || solution.intercepts.size() != classes ||
      solution.target_means.size() != classes) {
    fail<ShapeError>("[LogisticReadout] expected {} weights for each of {} classes, got {}",
                     features, classes, solution.weights.size());
  }
  shares_ = solution.target_means;
  LogisticSolution known;
  for (std::size_t code = 0; code < classes; ++code) {
    if (!(shares_[code] > 0.0)) continue;
    known.classes.push_back(static_cast<std::int64_t>(code));
    const auto from = solution.weights.begin() + static_cast<std::ptrdiff_t>(code * features);
    known.weights.insert(known.weights.end(), from, from + sizes_.features);
    known.intercepts.push_back(solution.intercepts[code]);
  }
  regression_.set_solution(known);
}

std::vector<double> LogisticReadout::state() const {
  std::vector<double> state = {is_solved() ? 1.0 : 0.0, static_cast<double>(codes_.size())};
  state.insert(state.end(), codes_.begin(), codes_.end());
  state.insert(state.end(), features_.begin(), features_.end());
  if (!is_solved()) return state;
  const ReadoutSolution found = solution();
  for (const auto* part : {&found.target_means, &found.intercepts, &found.weights}) {
    state.insert(state.end(), part->begin(), part->end());
  }
  return state;
}

void LogisticReadout::set_state(std::span<const double> state) {
  const auto features = static_cast<std::size_t>(sizes_.features);
  const auto classes = static_cast<std::size_t>(sizes_.targets);
  const std::size_t rows = state.size() > 1 ? static_cast<std::size_t>(state[1]) : 0;
  const bool solved = !state.empty() && state[0] != 0.0;
  const std::size_t expected = 2 + rows * (1 + features) + (solved ? classes * (2 + features) : 0);
  if (state.size() != expected) {
    fail<ShapeError>("[LogisticReadout] expected a state of {} numbers, got {}", expected,
                     state.size());
  }
  std::size_t from = 2;
  const auto take = [&](std::size_t count) {
    const auto part = state.subspan(from, count);
    from += count;
    return std::vector<double>(part.begin(), part.end());
  };
  const std::vector<double> codes = take(rows);
  codes_.assign(codes.begin(), codes.end());
  features_ = take(rows * features);
  if (!solved) return;
  ReadoutSolution found;
  found.target_means = take(classes);
  found.intercepts = take(classes);
  found.weights = take(classes * features);
  set_solution(found);
}

}  // namespace gaia
