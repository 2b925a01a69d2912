// SPDX-License-Identifier: MIT
#include "module_kind.h"

#include "../../core/message.h"
#include "activation_layer.h"
#include "adaptive_pooling.h"
#include "bit_linear.h"
#include "convolution.h"
#include "dense.h"
#include "differentiable_plasticity.h"
#include "group_normalization.h"
#include "normalization.h"
#include "plastic.h"
#include "plastic_linear.h"
#include "pointwise.h"
#include "prelu.h"
#include "recurrent.h"
#include "transformer_encoder.h"

namespace gaia {

KindList<ModuleKind>& ModuleKind::list() {
  static auto kinds =
      kinds_of<ModuleKind, DenseKind, BitLinearKind, PlasticLinearKind, PlasticKind,
               RecurrentKind<RNN>, RecurrentKind<GRU>, RecurrentKind<LSTM>,
               DifferentiablePlasticityKind, Conv1dKind, Conv2dKind, Pool1dKind<MaxPool1d>,
               Pool2dKind<MaxPool2d>, Pool1dKind<AvgPool1d>, Pool2dKind<AvgPool2d>, FlattenKind,
               DropoutKind, LayerNormKind, BatchNormKind, GroupNormKind, InstanceNormKind,
               RmsNormKind, PReluKind, AdaptivePool1dKind<AdaptiveAvgPool1d>,
               AdaptivePool2dKind<AdaptiveAvgPool2d>, AdaptivePool1dKind<AdaptiveMaxPool1d>,
               AdaptivePool2dKind<AdaptiveMaxPool2d>, ZeroPadKind, TransformerEncoderKind>();
  return kinds;
}

void ModulePlace::expect_axes(int axes, const char* form) const {
  if (shape.rank() == axes + 1) return;
  fail<ShapeError>("expected samples of shape {}, got {}", form,
                   Shape(std::span(shape.begin() + 1, shape.end())));
}

void ModulePlace::activate(Activation f) const {
  if (f == Activation::linear) return;
  net.add<ActivationLayer>(f);
}

}  // namespace gaia
