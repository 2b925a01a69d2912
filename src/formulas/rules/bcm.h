// SPDX-License-Identifier: MIT
#pragma once

#include "rule.h"

namespace gaia {

/// dw = rate y (y - theta) x - decay w, then theta += (y^2 - theta) / tau: a threshold that slides
/// with the mean of y^2, so that a neuron becomes selective.
/// Bienenstock, Cooper & Munro (1982), J. Neurosci. 2, 32-48; this threshold: Intrator & Cooper
/// (1992), Neural Networks 5, 3-17.
struct BcmRule {
  static constexpr const char* name = "bcm";
  static constexpr const char* look_for =
      "Under BCM a neuron is selective where θ has risen well above 0, and silent where it has "
      "fallen to it.";
  double learning_rate = 0.01;
  double decay = 0.0;
  double tau = 50.0;   ///< Time constant of theta in ticks, >= 1.
  double theta = 1.0;  ///< Initial threshold.

  /// Limit of learning_rate |x|^2 (learning/rule_list.h): beyond it the threshold is too slow for a
  /// selective neuron, which loses its stability in a Hopf bifurcation.
  double stability_limit() const { return 1.0 / tau; }

  template <class Visitor>
  void keys(Visitor& v) {
    v.number({"tau", "time constant of the threshold, in ticks of the level"}, tau, {1.0, 1e12});
    v.number({"theta", "initial threshold"}, theta, {-1e300, 1e300});
  }

  std::array<RuleMemory, 1> memories() const {
    return {{{"theta", "threshold", theta, "θ", true}}};
  }

  template <class T>
  GAIA_HOST_DEVICE PlasticStep<T> operator()(T /*z*/, T y, T* memory) const {
    T& threshold = memory[0];
    const PlasticStep<T> step{T(decay), T(learning_rate) * y * (y - threshold)};
    threshold += (y * y - threshold) * T(1.0 / tau);
    return step;
  }
};

}  // namespace gaia
