// SPDX-License-Identifier: MIT
#include "logistic_readout.h"

#include <algorithm>

#include "../core/message.h"
#include "../core/state_fields.h"

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

void LogisticReadout::fields(auto& self, auto& state, auto& found) {
  const auto features = static_cast<std::size_t>(self.sizes_.features);
  bool is_solved = self.is_solved();
  auto rows = self.codes_.size();
  state(is_solved, rows);
  state.numbers(self.codes_, rows);
  state.numbers(self.features_, rows, features);
  const std::size_t classes = is_solved ? static_cast<std::size_t>(self.sizes_.targets) : 0;
  state.numbers(found.target_means, classes);
  state.numbers(found.intercepts, classes);
  state.numbers(found.weights, classes, features);
}

std::vector<double> LogisticReadout::state() const {
  return StateFields::of(*this, is_solved() ? solution() : ReadoutSolution());
}

void LogisticReadout::set_state(std::span<const double> state) {
  ReadoutSolution found;
  StateFields::set(*this, "LogisticReadout", state, found);
  if (!found.weights.empty()) set_solution(found);
}

}  // namespace gaia
