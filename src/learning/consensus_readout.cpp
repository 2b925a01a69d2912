// SPDX-License-Identifier: MIT
#include "consensus_readout.h"

#include <limits>
#include <utility>

#include "../core/message.h"
#include "../core/names.h"
#include "../core/state_fields.h"

namespace gaia {

std::unique_ptr<ReadoutModel> ConsensusOptions::make(const ReadoutSizes& sizes) const {
  return std::make_unique<ConsensusReadout>(sizes, *this);
}

ConsensusReadout::ConsensusReadout(const ReadoutSizes& sizes, const ConsensusOptions& options)
    : sizes_(sizes), options_(options), estimates_(sizes.features / sizes.targets) {
  if (estimates_ < 2 || estimates_ * sizes.targets != sizes.features) {
    fail<ArgumentError>(
        "[ConsensusReadout] expected what at least 2 readouts predict of {} numbers each, got {} "
        "numbers",
        sizes.targets, sizes.features);
  }
  sums_.resize(static_cast<std::size_t>(sizes.features * sizes.features));
  if (options.error_covariance.values.empty()) return;
  take(options.error_covariance.values);
  is_given_ = true;
}

void ConsensusReadout::take(std::span<const double> errors) {
  consensus_.emplace(errors, estimates_, sizes_.targets, options_.covariance);
  of_all_ = consensus_->covariance_of_all();
  is_solved_ = true;
}

void ConsensusReadout::add(std::span<const double> features, std::span<const double> targets) {
  const auto width = static_cast<std::size_t>(sizes_.features);
  const auto numbers = static_cast<std::size_t>(sizes_.targets);
  const std::size_t rows = targets.size() / numbers;
  if (targets.size() != rows * numbers || features.size() != rows * width) {
    fail<ShapeError>("[ConsensusReadout] {} targets need {} predictions, got {}", targets.size(),
                     rows * width, features.size());
  }
  if (is_given_) return;
  std::vector<double> errors(width);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      errors[i] = features[row * width + i] - targets[row * numbers + i % numbers];
    }
    // Row by row, so that S does not depend on how rows come in blocks.
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j <= i; ++j) sums_[i * width + j] += errors[i] * errors[j];
    }
    ++count_;
  }
}

std::vector<double> ConsensusReadout::measured() const {
  const auto width = static_cast<std::size_t>(sizes_.features);
  std::vector<double> errors(sums_.size());
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      errors[i * width + j] = errors[j * width + i] =
          sums_[i * width + j] / static_cast<double>(count_);
    }
  }
  return errors;
}

void ConsensusReadout::solve() {
  if (is_given_) return;
  is_solved_ = true;
  try {
    if (count_ == 0) {
      throw ArgumentError(
          "[Consensus] no error is known by which their covariance could be measured");
    }
    take(measured());
  } catch (const ArgumentError& error) {
    consensus_.reset();
    if (!options_.must_be_regular) return;
    fail<DataError>(
        "a consensus of {} has measured the errors at {} ticks: {}; leave out a readout that says "
        "the same as others, have more ticks validated, or give error_covariance",
        join(options_.of), count_, error.what());
  }
}

std::vector<double> ConsensusReadout::predict(std::span<const double> features) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto width = static_cast<std::size_t>(sizes_.features);
  const auto numbers = static_cast<std::size_t>(sizes_.targets);
  std::vector<double> predictions;
  for (std::size_t from = 0; from + width <= features.size(); from += width) {
    if (!consensus_) {
      predictions.insert(predictions.end(), numbers, unknown);
      predictions.insert(predictions.end(), static_cast<std::size_t>(estimates_), 0.0);
      predictions.insert(predictions.end(), numbers, unknown);
      continue;
    }
    const Consensus::Fused fused = consensus_->fuse(features.subspan(from, width));
    predictions.insert(predictions.end(), fused.mean.begin(), fused.mean.end());
    for (const std::int64_t one : fused.outlier) predictions.push_back(static_cast<double>(one));
    for (std::size_t k = 0; k < numbers; ++k) {
      predictions.push_back(fused.covariance[k * numbers + k]);
    }
  }
  return predictions;
}

ReadoutSolution ConsensusReadout::solution() const {
  ReadoutSolution solution;
  if (!consensus_) return solution;
  solution.errors = consensus_->errors();
  solution.fused_covariance = of_all_;
  return solution;
}

void ConsensusReadout::set_solution(const ReadoutSolution& solution) {
  take(solution.errors);
  is_given_ = true;
}

std::vector<std::string> ConsensusReadout::notices() const {
  const std::int64_t enough = enough_errors(estimates_, sizes_.targets);
  if (is_given_ || !is_solved_) return {};
  if (!consensus_) return {"the covariance of the errors that it fuses by is singular"};
  if (count_ >= enough) return {};
  return {
      message("the covariance of errors was measured at {} ticks, and {} (five for each of its "
              "rows) are needed to call few readouts outliers that are none",
              count_, enough)};
}

void ConsensusReadout::fields(auto& self, auto& state) {
  state(self.count_, self.is_solved_, self.sums_);
}

std::vector<double> ConsensusReadout::state() const { return StateFields::of(*this); }

void ConsensusReadout::set_state(std::span<const double> state) {
  StateFields::set(*this, "ConsensusReadout", state);
  const bool solved = std::exchange(is_solved_, is_given_);
  if (!is_given_) consensus_.reset();
  if (solved) solve();
}

}  // namespace gaia
