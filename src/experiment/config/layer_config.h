// SPDX-License-Identifier: MIT
/// \file
/// Layers of a hierarchy, as typed values.
#pragma once

#include <cstdint>
#include <variant>

#include "../../formulas/activation.h"
#include "../../layers/init.h"
#include "../../learning/plasticity.h"

namespace gaia {

struct ReactiveConfig {
  Activation activation = Activation::relu;
  Init init = Init::he;
  double bias = 0.0;
};

struct HebbianConfig {
  Activation activation = Activation::linear;
  Init init = Init::he;
  PlasticityRule rule = HebbRule{};
  WeightControl control;
};

struct TemporalConfig {
  Activation activation = Activation::tanh;
  Init init = Init::xavier;
  double leak = 1.0;
  double spectral_radius = 0.9;
  double bias = 0.0;
};

struct LayerConfig {
  std::int64_t size = 0;
  bool learn = true;  ///< Plastic layers: whether this one learns where its level does.
  std::variant<ReactiveConfig, HebbianConfig, TemporalConfig> kind;
};

}  // namespace gaia
