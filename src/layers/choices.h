// SPDX-License-Identifier: MIT
/// \file
/// The words that keys of layers are chosen from.
#pragma once

#include "../core/keys.h"
#include "../formulas/activation.h"
#include "init.h"

namespace gaia {

inline Choice activations(Activation& value) {
  return choice_of(activation_names(), value, activation_from_name);
}

inline Choice inits(Init& value) {
  return choice_of({"he", "xavier", "normal", "uniform", "orthogonal", "identity"}, value,
                   init_from_name);
}

/// Layers whose weights may begin with samples.
inline Choice plastic_inits(Init& value) {
  return choice_of(
      {"he", "xavier", "normal", "uniform", "orthogonal", "identity", "positive", "samples"}, value,
      init_from_name);
}

}  // namespace gaia
