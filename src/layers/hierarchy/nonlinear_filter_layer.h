// SPDX-License-Identifier: MIT
/// \file
/// Filters of nonlinear models, and particle filters, as layers: their keys.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/random.h"
#include "../../filters/extended_kalman_filter.h"
#include "../../filters/particle_filter.h"
#include "../../filters/unscented_kalman_filter.h"
#include "kalman_layer.h"

namespace gaia {

/// A model that is written as text.
struct TextModelKeys {
  TextModelOptions text = {};

  /// `state`, `observation` and `parameters`, with what is wrong with them where it stands.
  void keys(ConfigVisitor& v);
  /// How many there are; 0 where the texts are no model.
  std::int64_t states() const;
};

struct ExtendedKalmanLayerOptions {
  TextModelKeys model = {};
  NoiseKey Q{{}, {0.01}};
  NoiseKey R{{}, {1.0}};
  NoiseKey P0{{}, {1.0}};
  KalmanForm form = KalmanForm::joseph;
  NoiseAdaption adapt = NoiseAdaption::none;
  double forgetting = 0.995;  ///< How much of the noise a tick leaves, in (0, 1).
  FilterLayerKeys layer = {};
  bool learn = true;
  DType dtype = DType::float32;

  static constexpr const char* name = "extended_kalman";
  static constexpr const char* plastic_with = "adapt";
  using Made = FilterLayer;
  void keys(ConfigVisitor& v);
  std::string summary() const;
  bool is_plastic() const { return adapt != NoiseAdaption::none; }
  std::int64_t outputs(std::int64_t /*inputs*/) const { return model.states(); }
  double weights(double inputs, double outputs) const;
  std::unique_ptr<StateFilter> filter_of(std::int64_t inputs) const;
  FilterPlace place() const;
};

struct UnscentedKalmanLayerOptions {
  TextModelKeys model = {};
  NoiseKey Q{{}, {0.01}};
  NoiseKey R{{}, {1.0}};
  NoiseKey P0{{}, {1.0}};
  SigmaPointOptions points = {};
  FilterLayerKeys layer = {};
  DType dtype = DType::float32;

  static constexpr const char* name = "unscented_kalman";
  using Made = FilterLayer;
  void keys(ConfigVisitor& v);
  std::int64_t outputs(std::int64_t /*inputs*/) const { return model.states(); }
  double weights(double inputs, double outputs) const;
  std::unique_ptr<StateFilter> filter_of(std::int64_t inputs) const;
  FilterPlace place() const;
};

struct ParticleLayerOptions {
  bool is_linear = true;        ///< Whether the model is `linear`, not `written`.
  LinearModelKeys linear = {};  ///< Its noise is that of both.
  TextModelKeys written = {};
  std::int64_t particles = 1000;
  double resample_below = 0.5;  ///< Share of the particles, in [0, 1].
  FilterLayerKeys layer = {};
  DType dtype = DType::float32;
  RandomStream random = {};

  static constexpr const char* name = "particle";
  using Made = FilterLayer;
  void keys(ConfigVisitor& v);
  std::string summary() const;
  std::int64_t outputs(std::int64_t inputs) const;
  double weights(double inputs, double outputs) const;
  std::unique_ptr<StateFilter> filter_of(std::int64_t inputs) const;
  FilterPlace place() const;
};

}  // namespace gaia
