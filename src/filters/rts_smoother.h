// SPDX-License-Identifier: MIT
/// \file
/// What later ticks say of a state that a Kalman filter has followed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gaia {

/// Goes back over the ticks of a filter, the last one first (Rauch, Tung and Striebel, 1965, AIAA
/// Journal 3, 1445-1450): with the mean m and covariance P of a tick, and Q of the next,
///
///     P⁻ = A P Aᵀ + Q,  G = P Aᵀ P⁻⁻¹,  m_s = m + G (m_s' - A m),  P_s = P + G (P_s' - P⁻) Gᵀ
///
/// in which ' is what the next tick came to.
class RtsSmoother {
 public:
  /// A [states, states].  \throws ShapeError for a list of another length.
  RtsSmoother(std::span<const double> A, std::int64_t states);

  /// Takes the last tick, of which no later one says anything.
  void begin(std::span<const double> mean, std::span<const double> covariance);
  /// Takes the tick before; `next_noise` is the Q that the next was predicted with.
  /// \throws ArgumentError if what it comes to is not finite.
  void back(std::span<const double> mean, std::span<const double> covariance,
            std::span<const double> next_noise);

  std::span<const double> mean() const { return mean_; }              ///< [states]
  std::span<const double> covariance() const { return covariance_; }  ///< [states, states]

 private:
  std::int64_t states_;
  std::vector<double> A_;
  std::vector<double> mean_;
  std::vector<double> covariance_;
};

}  // namespace gaia
