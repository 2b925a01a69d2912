// SPDX-License-Identifier: MIT
#include "temporal.h"

#include "../../array/backend.h"
#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../formulas/representable.h"
#include "../choices.h"

namespace gaia {
namespace {

/// A stream for R.  Not the next one: that is what `next_stream` gives to the next layer.
RandomStream twin_of(RandomStream stream) { return {stream.seed, ~stream.stream}; }

/// \throws ArgumentError unless 0 < leak <= 1 and spectral_radius >= 0, and the dtype holds these
///         and the bias.
const TemporalOptions& checked(const TemporalOptions& options) {
  if (!(options.leak > 0.0 && options.leak <= 1.0)) {
    throw ArgumentError("[temporal layer] leak must be in (0, 1], got " +
                        std::to_string(options.leak));
  }
  if (!(options.spectral_radius >= 0.0 && options.spectral_radius < 1e6)) {
    throw ArgumentError("[temporal layer] spectral_radius must be in [0, 1e6), got " +
                        std::to_string(options.spectral_radius));
  }
  check_representable("[temporal layer] leak", options.leak, options.dtype);
  check_representable("[temporal layer] spectral_radius", options.spectral_radius, options.dtype);
  check_representable("[temporal layer] bias", options.bias, options.dtype);
  return options;
}

}  // namespace

void TemporalOptions::keys(ConfigVisitor& v) {
  v.choice({"activation", "what a neuron makes of its drive"}, activations(activation));
  v.choice({"init", "initial weights of the input"}, inits(init));
  v.number({"leak", "share of the state that is renewed at a tick"}, leak, {0.0, 1.0, true});
  v.number({"spectral_radius", "largest absolute eigenvalue of the recurrent weights"},
           spectral_radius, {0.0, 1e6, false, true});
  v.number({"bias", "bias of every neuron"}, bias, kAnyNumber);
}

TemporalLayer::TemporalLayer(std::int64_t input_size, std::int64_t output_size,
                             const TemporalOptions& options)
    : Layer(input_size, output_size, checked(options).dtype),
      activation_(options.activation),
      leak_(options.leak),
      weights_(
          initial_weights(options.init, output_size, input_size, options.dtype, options.random)),
      recurrent_(recurrent_weights(output_size, options.spectral_radius, options.dtype,
                                   twin_of(options.random))),
      bias_(full({output_size}, options.bias, options.dtype)) {}

std::unique_ptr<Layer> TemporalLayer::clone() const {
  auto twin = std::make_unique<TemporalLayer>(*this);
  for (Array* array : {&twin->weights_, &twin->recurrent_, &twin->bias_, &twin->state_}) {
    *array = array->copy();
  }
  return twin;
}

std::vector<NamedArray> TemporalLayer::arrays() const {
  return {{"weights", NamedArray::Role::weights, weights_},
          {"recurrent", NamedArray::Role::weights, recurrent_},
          {"bias", NamedArray::Role::weights, bias_},
          {"state", NamedArray::Role::state, state_}};
}

std::int64_t TemporalLayer::operations_per_tick(bool /*learn*/) const {
  return 2 * (weights_.size() + recurrent_.size()) + 5 * output_size();
}

void TemporalLayer::allocate_state(std::int64_t streams) {
  if (state_.size() == 0) state_ = zeros({streams, output_size()}, dtype());
}

void TemporalLayer::answer(const Array& x, bool /*learn*/, const Array& y) {
  const std::int64_t streams = x.shape(0);
  allocate_state(streams);
  if (state_.shape(0) != streams) {
    throw ShapeError("[temporal layer] its state is of " + std::to_string(state_.shape(0)) +
                     " stream(s), got " + std::to_string(streams) + "; use reset_state first");
  }
  const Array drive = Array::uninitialized(y.shape(), dtype());
  answer_linearly(Activation::linear, x, weights_, bias_, drive);
  backend(current_device())
      .recurrent({.activation = activation_,
                  .leak = leak_,
                  .drive = drive.view(),
                  .recurrent = recurrent_.view(),
                  .state = state_.view(),
                  .outputs = y.view()});
}

void TemporalLayer::move_to_current_device() {
  for (Array* array : {&weights_, &recurrent_, &bias_, &state_}) {
    *array = on_current_device(*array, "temporal layer");
  }
}

}  // namespace gaia
