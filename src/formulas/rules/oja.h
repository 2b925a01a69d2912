// SPDX-License-Identifier: MIT
#pragma once

#include "rule.h"

namespace gaia {

/// dw = rate y (x - y w) - decay w.  Tends to the first principal component of its input, |w| = 1,
/// for rate y^2 << 1.  Oja (1982), J. Math. Biol. 15, 267-273.
struct OjaRule {
  static constexpr const char* name = "oja";
  static constexpr const char* look_for = "Under Oja's rule the lengths tend to 1.";
  double learning_rate = 0.01;
  double decay = 0.0;

  /// Limit of learning_rate |x|^2 (learning/rule_list.h): along a sample that is repeated, the
  /// factor near |w| = 1 is 1 - 2 rate |x|^2.
  double stability_limit() const { return 1.0; }

  template <class T>
  GAIA_HOST_DEVICE PlasticStep<T> operator()(T /*z*/, T y, T* /*memory*/) const {
    const T gain = T(learning_rate) * y;
    return {T(decay) + gain * y, gain};
  }
};

}  // namespace gaia
