// SPDX-License-Identifier: MIT
/// \file
/// What filters that carry a mean and a covariance, and nothing else, have in common, so that
/// others can be made of them.
#pragma once

#include <span>

#include "state_filter.h"

namespace gaia {

/// A filter whose belief about each stream is a normal distribution.
class GaussianFilter : public StateFilter {
 public:
  /// Replaces what is believed of all streams: means [streams, states] and covariances
  /// [streams, states, states], of which the mean with the transposed is taken.
  /// \throws ShapeError for lists of other lengths, ArgumentError for numbers that are not finite.
  virtual void set_belief(std::span<const double> means, std::span<const double> covariances) = 0;

  /// Covariance of the innovation of all observed numbers at the last update, H P Hᵀ + R with the P
  /// before it, [streams, observed, observed], whether a value was missing or not.
  virtual std::span<const double> innovation_covariance() const = 0;
};

}  // namespace gaia
