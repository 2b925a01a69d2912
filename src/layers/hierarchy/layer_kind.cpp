// SPDX-License-Identifier: MIT
#include "layer_kind.h"

#include "hebbian.h"
#include "predictive.h"
#include "reactive.h"
#include "temporal.h"

namespace gaia {

KindList<LayerKind>& LayerKind::list() {
  static auto kinds =
      kinds_of<LayerKind, ReactiveOptions, HebbianOptions, TemporalOptions, PredictiveOptions>();
  return kinds;
}

}  // namespace gaia
