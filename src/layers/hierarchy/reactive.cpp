// SPDX-License-Identifier: MIT
#include "reactive.h"

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../formulas/representable.h"
#include "../choices.h"
#include "layer_kind.h"

namespace gaia {

void ReactiveOptions::keys(ConfigVisitor& v) {
  v.choice({"activation", "what a neuron makes of its drive"}, activations(activation));
  v.choice({"init", "initial weights"}, inits(init));
  v.number({"bias", "bias of every neuron"}, bias, kAnyNumber);
}

ReactiveLayer::ReactiveLayer(std::int64_t input_size, std::int64_t output_size,
                             const ReactiveOptions& options)
    : Layer(input_size, output_size, options.dtype),
      made_with_(options),
      activation_(options.activation),
      weights_(
          initial_weights(options.init, output_size, input_size, options.dtype, options.random)),
      bias_(full({output_size}, options.bias, options.dtype)) {
  check_representable("[reactive layer] bias", options.bias, options.dtype);
}

std::unique_ptr<LayerKind> ReactiveLayer::kind() const {
  return LayerKind::Of<ReactiveOptions>::with(made_with_);
}

std::unique_ptr<Layer> ReactiveLayer::clone() const {
  auto twin = std::make_unique<ReactiveLayer>(*this);
  twin->weights_ = weights_.copy();
  twin->bias_ = bias_.copy();
  return twin;
}

std::vector<NamedArray> ReactiveLayer::arrays() const {
  return {{"weights", NamedArray::Role::weights, weights_},
          {"bias", NamedArray::Role::weights, bias_}};
}

std::int64_t ReactiveLayer::operations_per_tick(bool /*learn*/) const {
  return 2 * weights_.size() + 2 * output_size();
}

void ReactiveLayer::answer(const Array& x, bool /*learn*/, const Array& y) {
  answer_linearly(activation_, x, weights_, bias_, y);
}

void ReactiveLayer::move_to_current_device() {
  weights_ = on_current_device(weights_, "reactive layer");
  bias_ = on_current_device(bias_, "reactive layer");
}

}  // namespace gaia
