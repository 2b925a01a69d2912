// SPDX-License-Identifier: MIT
#include "moments.h"

#include <cmath>
#include <utility>

#include "../../core/message.h"

namespace gaia::agents {

void RunningMoments::add(std::span<const double> x) {
  if (x.size() != mean_.size()) {
    fail<ArgumentError>("[RunningMoments] expected {} numbers, got {}", mean_.size(), x.size());
  }
  ++count_;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const double from_old = x[d] - mean_[d];
    mean_[d] += from_old / static_cast<double>(count_);
    squares_[d] += from_old * (x[d] - mean_[d]);
  }
}

std::vector<double> RunningMoments::deviation() const {
  std::vector<double> result(mean_.size(), 1.0);
  for (std::size_t d = 0; d < result.size(); ++d) {
    const double deviation =
        count_ > 0 ? std::sqrt(squares_[d] / static_cast<double>(count_)) : 0.0;
    // Where only rounding varies, dividing by it would make it the largest signal of all.
    if (deviation > 1e-9 * (1e-3 + std::abs(mean_[d]))) result[d] = deviation;
  }
  return result;
}

void RunningMoments::set(std::int64_t count, std::vector<double> mean,
                         std::vector<double> squares) {
  if (count < 0 || mean.size() != squares.size()) {
    fail<ArgumentError>(
        "[RunningMoments] expected as many squares as means and a count of 0 or more, got {}, {} "
        "and {}",
        squares.size(), mean.size(), count);
  }
  count_ = count;
  mean_ = std::move(mean);
  squares_ = std::move(squares);
}

}  // namespace gaia::agents
