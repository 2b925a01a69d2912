// SPDX-License-Identifier: MIT
#include "online_readout.h"

#include "../core/message.h"
#include "../core/state_fields.h"

namespace gaia {

std::unique_ptr<ReadoutModel> OnlineReadoutOptions::make(const ReadoutSizes& sizes) const {
  return std::make_unique<OnlineReadout>(sizes, options);
}

OnlineReadout::OnlineReadout(const ReadoutSizes& sizes, const OnlineOptions& options)
    : sizes_(sizes),
      regression_(sizes.features, sizes.targets, options),
      means_(static_cast<std::size_t>(sizes.targets)) {}

void OnlineReadout::add(std::span<const double> features, std::span<const double> targets) {
  const auto width = static_cast<std::size_t>(sizes_.targets);
  const auto length = static_cast<std::size_t>(sizes_.features);
  const std::size_t rows = targets.size() / width;
  if (targets.size() != rows * width || features.size() != rows * length) {
    fail<ShapeError>("[OnlineReadout] {} targets need {} numbers of features, got {}",
                     targets.size(), rows * length, features.size());
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<const double> target = targets.subspan(row * width, width);
    regression_.learn(features.subspan(row * length, length), target);
    for (std::size_t k = 0; k < width; ++k) {
      means_[k] += (target[k] - means_[k]) / static_cast<double>(regression_.count());
    }
  }
}

std::vector<double> OnlineReadout::predict(std::span<const double> features) {
  const auto length = static_cast<std::size_t>(sizes_.features);
  std::vector<double> predictions;
  for (std::size_t from = 0; from + length <= features.size(); from += length) {
    const std::vector<double> row = regression_.predict(features.subspan(from, length));
    predictions.insert(predictions.end(), row.begin(), row.end());
  }
  return predictions;
}

ReadoutSolution OnlineReadout::solution() const {
  return {regression_.weights(), regression_.intercepts(), means_};
}

void OnlineReadout::set_solution(const ReadoutSolution& /*solution*/) {
  throw ArgumentError("[OnlineReadout] a readout that learns online has no weights to take over");
}

void OnlineReadout::fields(auto& self, auto& state) {
  state(self.means_);
  state.rest(self.regression_);
}

std::vector<double> OnlineReadout::state() const { return StateFields::of(*this); }

void OnlineReadout::set_state(std::span<const double> state) {
  StateFields::set(*this, "OnlineReadout", state);
}

}  // namespace gaia
