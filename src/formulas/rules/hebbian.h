// SPDX-License-Identifier: MIT
#pragma once

#include "rule.h"

namespace gaia {

/// dw = rate y x - decay w.  Grows without bound unless decay or a normalisation holds it.
/// Hebb (1949), The Organization of Behavior.
struct HebbRule {
  static constexpr const char* name = "hebbian";
  static constexpr const char* stability_note =
      "grows at any rate unless decay or a normalization holds it";
  double learning_rate = 0.01;
  double decay = 0.0;

  template <class T>
  GAIA_HOST_DEVICE PlasticStep<T> operator()(T /*z*/, T y, T* /*memory*/) const {
    return {T(decay), T(learning_rate) * y};
  }
};

}  // namespace gaia
