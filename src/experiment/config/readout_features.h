// SPDX-License-Identifier: MIT
/// \file
/// readouts: features, the parts that a readout's row is built from.
#pragma once

#include <cstdint>

namespace gaia {

/// A row has, in this order: what the levels show, in the order of `levels`; the sample; a 1.
struct ReadoutFeatures {
  bool level = true;     ///< What the levels show, which no row is without.
  bool squares = false;  ///< Neurons 1, 3, 5 ... of each level squared, in their places.
  bool input = false;    ///< The sample that level 0 reads at the tick, with its window.
  bool bias = false;     ///< A 1, whose weight stands for the intercept.

  std::int64_t input_size = 0;  ///< Numbers of a sample, once data are open.

  /// Whether a row is what the levels show, and nothing else.
  bool are_plain() const { return !squares && !input && !bias; }
  /// Numbers of a row behind those that the levels show.
  std::int64_t beside() const { return (input ? input_size : 0) + (bias ? 1 : 0); }
};

}  // namespace gaia
