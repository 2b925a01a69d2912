// SPDX-License-Identifier: MIT
/// \file
/// Kalman filters as layers, and layers that switch between several: their keys.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../core/keys.h"
#include "../../filters/kalman_filter.h"
#include "filter_layer.h"

namespace gaia {

/// Keys that all layers which filter have beside those of their filters.
struct FilterLayerKeys {
  std::vector<std::int64_t> observes = {};  ///< Inputs that are observed, from 0; empty: all.
  bool covariance = false;                  ///< Whether results have the covariance of each tick.

  void keys(ConfigVisitor& v);
  /// How many of so many inputs are observed.
  std::int64_t observed(std::int64_t inputs) const {
    return observes.empty() ? inputs : std::ssize(observes);
  }
};

/// A number for all of a diagonal, a diagonal, or a matrix.
using NoiseKey = NestedNumbers;

/// Rows of what a key of noise says: a number alone, or a diagonal, is one row.
MatrixRows rows_of(const NoiseKey& noise);
/// The keys `Q`, `R` and `P0`.
void noise_keys(ConfigVisitor& v, NoiseKey& Q, NoiseKey& R, NoiseKey& P0);
/// The key `form`.
void form_key(ConfigVisitor& v, KalmanForm& form);
/// The keys `adapt` and `forgetting`.
void adaption_keys(ConfigVisitor& v, NoiseAdaption& adapt, double& forgetting);
/// " adapting R"; empty where nothing adapts.
std::string adaption_text(NoiseAdaption adapt);
AdaptedNoise adapted_noise(NoiseAdaption adapt);

/// A linear model with its noise, as a layer has it or one of several regimes.
struct LinearModelKeys {
  LinearModelOptions model = {.period = 12};  ///< All but its noise.
  NoiseKey Q{{}, {0.01}};                     ///< Noise of the state.
  NoiseKey R{{}, {1.0}};                      ///< Noise of what is observed.
  NoiseKey P0{{}, {1.0}};                     ///< Covariance before the first prediction.
  KalmanForm form = KalmanForm::joseph;

  void keys(ConfigVisitor& v);
  /// The key `model` alone.
  void model_key(ConfigVisitor& v);
  /// The model with its noise.
  LinearModelOptions options() const;
  /// States where so many numbers are observed; 0 of a model that cannot be.
  std::int64_t states(std::int64_t observed) const;
  /// "velocity".
  std::string summary() const;
};

struct KalmanLayerOptions {
  LinearModelKeys model = {};
  NoiseAdaption adapt = NoiseAdaption::none;
  double forgetting = 0.995;  ///< How much of the noise a tick leaves, in (0, 1).
  bool smooth = false;        ///< Whether results have what a smoother makes of the run.
  FilterLayerKeys layer = {};
  bool learn = true;
  DType dtype = DType::float32;

  static constexpr const char* name = "kalman";
  static constexpr const char* plastic_with = "adapt";
  using Made = FilterLayer;
  void keys(ConfigVisitor& v);
  std::string summary() const;
  bool is_plastic() const { return adapt != NoiseAdaption::none; }
  std::int64_t outputs(std::int64_t inputs) const { return model.states(layer.observed(inputs)); }
  double weights(double inputs, double outputs) const;
  std::unique_ptr<StateFilter> filter_of(std::int64_t inputs) const;
  FilterPlace place() const;
};

struct RegimesLayerOptions {
  std::vector<LinearModelKeys> models = {};
  std::vector<std::vector<double>> transition = {};  ///< From the row to the column.
  FilterLayerKeys layer = {};
  DType dtype = DType::float32;

  static constexpr const char* name = "regimes";
  using Made = FilterLayer;
  void keys(ConfigVisitor& v);
  std::string summary() const;
  std::int64_t outputs(std::int64_t inputs) const;
  double weights(double inputs, double outputs) const;
  std::unique_ptr<StateFilter> filter_of(std::int64_t inputs) const;
  FilterPlace place() const;
};

}  // namespace gaia
