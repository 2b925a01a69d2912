// SPDX-License-Identifier: MIT
#include "layer_kind.h"

#include "hebbian.h"
#include "kalman_layer.h"
#include "nonlinear_filter_layer.h"
#include "plastic_conv.h"
#include "predictive.h"
#include "reactive.h"
#include "temporal.h"

namespace gaia {

std::unique_ptr<LayerKind> Layer::kind() const { return nullptr; }

KindList<LayerKind>& LayerKind::list() {
  static auto kinds =
      kinds_of<LayerKind, ReactiveOptions, HebbianOptions, TemporalOptions, PredictiveOptions,
               KalmanLayerOptions, ExtendedKalmanLayerOptions, UnscentedKalmanLayerOptions,
               ParticleLayerOptions, RegimesLayerOptions, PlasticConvOptions>();
  return kinds;
}

}  // namespace gaia
