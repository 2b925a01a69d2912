// SPDX-License-Identifier: MIT
/// \file
/// Mean and variance of vectors that come one by one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gaia::agents {

/// Welford 1962, "Note on a method for calculating corrected sums of squares and products",
/// Technometrics 4.
class RunningMoments {
 public:
  explicit RunningMoments(std::int64_t dimensions = 0)
      : mean_(static_cast<std::size_t>(dimensions), 0.0), squares_(mean_) {}

  void add(std::span<const double> x);

  std::int64_t count() const { return count_; }
  const std::vector<double>& mean() const { return mean_; }
  /// Sum of squared distances from the mean.
  const std::vector<double>& squares() const { return squares_; }
  /// sqrt(squares / count); 1 for what has not varied so far.
  std::vector<double> deviation() const;

  /// What `count`, `mean` and `squares` gave.
  void set(std::int64_t count, std::vector<double> mean, std::vector<double> squares);

 private:
  std::int64_t count_ = 0;
  std::vector<double> mean_, squares_;
};

}  // namespace gaia::agents
