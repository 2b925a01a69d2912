// SPDX-License-Identifier: MIT
#include "self_trained_readout.h"

#include <algorithm>

#include "../core/state_fields.h"

namespace gaia {

std::unique_ptr<ReadoutModel> SelfTrainedOptions::make(const ReadoutSizes& sizes) const {
  return std::make_unique<SelfTrainedReadout>(sizes, *this);
}

SelfTrainedReadout::SelfTrainedReadout(const ReadoutSizes& sizes, const SelfTrainedOptions& options)
    : sizes_(sizes), options_(options), fitted_(make_fit()) {}

std::unique_ptr<LogisticReadout> SelfTrainedReadout::make_fit() const {
  return std::make_unique<LogisticReadout>(
      sizes_, LogisticOptions{.l2 = options_.l2, .class_weight = options_.class_weight});
}

void SelfTrainedReadout::add(std::span<const double> features, std::span<const double> targets) {
  fitted_->add(features, targets);
  features_.insert(features_.end(), features.begin(), features.end());
  codes_.insert(codes_.end(), targets.begin(), targets.end());
}

void SelfTrainedReadout::solve() {
  fitted_->solve();
  shares_ = fitted_->target_means();
  forget_oldest();
}

void SelfTrainedReadout::forget_oldest() {
  const std::int64_t over = std::ssize(codes_) - options_.memory;
  if (over <= 0) return;
  codes_.erase(codes_.begin(), codes_.begin() + over);
  features_.erase(features_.begin(), features_.begin() + over * sizes_.features);
}

void SelfTrainedReadout::fit_anew() {
  since_fit_ = 0;
  forget_oldest();
  const bool is_one =
      std::adjacent_find(codes_.begin(), codes_.end(), std::not_equal_to<>()) == codes_.end();
  if (is_one) return;
  std::unique_ptr<LogisticReadout> fit = make_fit();
  fit->add(features_, codes_);
  fit->solve();
  fitted_ = std::move(fit);
}

std::vector<double> SelfTrainedReadout::predict(std::span<const double> features) {
  const auto width = static_cast<std::size_t>(sizes_.features);
  const auto classes = static_cast<std::ptrdiff_t>(sizes_.targets);
  std::vector<double> all;
  while (!features.empty()) {
    const auto rows =
        std::min(features.size() / width, static_cast<std::size_t>(options_.every - since_fit_));
    const std::span<const double> part = features.first(rows * width);
    const std::vector<double> probabilities = fitted_->predict(part);
    for (auto at = probabilities.begin(); at != probabilities.end(); at += classes) {
      codes_.push_back(static_cast<double>(std::max_element(at, at + classes) - at));
    }
    features_.insert(features_.end(), part.begin(), part.end());
    all.insert(all.end(), probabilities.begin(), probabilities.end());
    features = features.subspan(rows * width);
    since_fit_ += static_cast<std::int64_t>(rows);
    if (since_fit_ == options_.every) fit_anew();
  }
  return all;
}

void SelfTrainedReadout::set_solution(const ReadoutSolution& /*solution*/) {
  throw ArgumentError("[SelfTrainedReadout] has no weights that another run could take over");
}

void SelfTrainedReadout::fields(auto& self, auto& state) {
  auto rows = self.codes_.size();
  auto shares = self.shares_.size();
  state(self.since_fit_, rows, shares);
  state.numbers(self.codes_, rows);
  state.numbers(self.features_, rows, static_cast<std::size_t>(self.sizes_.features));
  state.numbers(self.shares_, shares);
  state.rest(*self.fitted_);
}

std::vector<double> SelfTrainedReadout::state() const { return StateFields::of(*this); }

void SelfTrainedReadout::set_state(std::span<const double> state) {
  fitted_ = make_fit();
  StateFields::set(*this, "SelfTrainedReadout", state);
}

}  // namespace gaia
