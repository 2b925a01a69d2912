// SPDX-License-Identifier: MIT
/// \file
/// What filters that carry a mean and a covariance, and nothing else, have in common, so that
/// others can be made of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "state_filter.h"

namespace gaia {

/// A filter whose belief about each stream is a normal distribution.
class GaussianFilter : public StateFilter {
 public:
  std::int64_t streams() const final { return streams_; }
  std::span<const double> mean() const final { return mean_; }
  std::span<const double> covariance() const final { return covariance_; }

  /// Replaces what is believed of all streams: means [streams, states] and covariances
  /// [streams, states, states], each of which becomes (P + Pᵀ) / 2.
  /// \throws ShapeError for lists of other lengths, ArgumentError for numbers that are not finite.
  virtual void set_belief(std::span<const double> means, std::span<const double> covariances) = 0;

  /// Covariance of the innovation of all observed numbers at the last update, H P Hᵀ + R with the P
  /// before it, [streams, observed, observed], whether a value was missing or not.
  std::span<const double> innovation_covariance() const { return innovation_covariance_; }

 protected:
  std::int64_t streams_ = 1;
  std::vector<double> mean_;                   // [streams, states]
  std::vector<double> covariance_;             // [streams, states, states]
  std::vector<double> innovation_covariance_;  // [streams, observed, observed]
};

}  // namespace gaia
