// SPDX-License-Identifier: MIT
#include "change_readout.h"

#include <utility>

#include "../core/message.h"

namespace gaia {

ChangeReadout::ChangeReadout(std::unique_ptr<ReadoutModel> model, const ReadoutSizes& sizes)
    : model_(std::move(model)),
      features_(static_cast<std::size_t>(sizes.features)),
      targets_(static_cast<std::size_t>(sizes.targets)),
      means_(targets_) {}

ChangeReadout::Parts ChangeReadout::parts_of(std::span<const double> features) const {
  const std::size_t width = features_ + targets_;
  if (features.size() % width != 0) {
    fail<ShapeError>(
        "ChangeReadout: expected rows of {} features and {} targets as "
        "they are now, got {} numbers",
        features_, targets_, features.size());
  }
  Parts parts;
  for (std::size_t at = 0; at < features.size(); at += width) {
    const auto row = features.subspan(at, width);
    parts.features.insert(parts.features.end(), row.begin(), row.end() - std::ssize(means_));
    parts.now.insert(parts.now.end(), row.end() - std::ssize(means_), row.end());
  }
  return parts;
}

void ChangeReadout::add(std::span<const double> features, std::span<const double> targets) {
  const Parts parts = parts_of(features);
  if (targets.size() != parts.now.size()) {
    fail<ShapeError>("ChangeReadout: expected {} targets, got {}", parts.now.size(),
                     targets.size());
  }
  std::vector<double> changes(targets.begin(), targets.end());
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i] -= parts.now[i];
  model_->add(parts.features, changes);  // which may refuse them
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (i % targets_ == 0) ++count_;
    double& mean = means_[i % targets_];
    mean += (targets[i] - mean) / count_;
  }
}

std::vector<double> ChangeReadout::predict(std::span<const double> features) {
  const Parts parts = parts_of(features);
  std::vector<double> predictions = model_->predict(parts.features);
  for (std::size_t i = 0; i < predictions.size(); ++i) predictions[i] += parts.now[i];
  return predictions;
}

ReadoutSolution ChangeReadout::solution() const {
  ReadoutSolution solution = model_->solution();
  solution.target_means = means_;
  return solution;
}

void ChangeReadout::set_solution(const ReadoutSolution& solution) {
  model_->set_solution(solution);
  means_ = solution.target_means;
}

std::vector<double> ChangeReadout::state() const {
  std::vector<double> numbers = model_->state();
  numbers.insert(numbers.end(), means_.begin(), means_.end());
  numbers.push_back(count_);
  return numbers;
}

void ChangeReadout::set_state(std::span<const double> state) {
  if (state.size() < targets_ + 1) {
    fail<ShapeError>("ChangeReadout: expected a state of more than {} numbers, got {}", targets_,
                     state.size());
  }
  const auto own = state.last(targets_ + 1);
  model_->set_state(state.first(state.size() - own.size()));
  means_.assign(own.begin(), own.end() - 1);
  count_ = own.back();
}

}  // namespace gaia
