// SPDX-License-Identifier: MIT
/// \file
/// What a series says of its hidden states once all of it is known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gaia {

/// What a smoother reads of the ticks of one trial, in their order.
struct FilteredTrial {
  std::int64_t states = 0;
  std::span<const double> mean;        ///< [ticks, states], behind each update.
  std::span<const double> covariance;  ///< [ticks, states, states], the same.
  /// [states, states] for all ticks, or [ticks, states, states]: by which each was predicted from
  /// the tick before it; that of the first is not read.
  std::span<const double> A;
  std::span<const double> Q;  ///< The same of the noise.
};

struct SmoothedTrial {
  std::vector<double> mean;        ///< [ticks, states]
  std::vector<double> covariance;  ///< [ticks, states, states]
};

/// Rauch, Tung and Striebel (1965, AIAA J. 3, 1445-1450), from the last tick back, with
/// P⁻ = A P_t Aᵀ + Q and m⁻ = A m_t of the step from tick t to t + 1:
///
///     C = P_t Aᵀ (P⁻)⁻¹,  m̂_t = m_t + C (m̂_t+1 - m⁻),  P̂_t = P_t + C (P̂_t+1 - P⁻) Cᵀ
///
/// The last tick stays as it is.  Where P⁻ is singular its pseudo-inverse is taken.  Values that
/// were missing need nothing: they have moved neither mean nor covariance.
/// \throws ShapeError if the lengths do not fit.
SmoothedTrial smooth(const FilteredTrial& filtered);

}  // namespace gaia
