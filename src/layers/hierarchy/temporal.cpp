// SPDX-License-Identifier: MIT
#include "temporal.h"

#include <fmt/format.h>

#include "../../array/backend.h"
#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../array/random_arrays.h"
#include "../../core/message.h"
#include "../../formulas/representable.h"
#include "../choices.h"
#include "layer_kind.h"

namespace gaia {
namespace {

/// Above all factors.
constexpr double kMostFactor = 1e6;

/// A stream for R.  Not the next one: that is what `next_stream` gives to the next layer.
RandomStream twin_of(RandomStream stream) { return {stream.seed, ~stream.stream}; }

/// The stream of a layer for `purpose`, apart from those of all other layers.
RandomStream stream_for(const char* purpose, RandomStream stream) {
  return RandomStream::named(stream.seed,
                             fmt::format("temporal/{:016x}/{}", stream.stream, purpose));
}

const TemporalOptions& checked(const TemporalOptions& options) {
  const auto is_factor = [](double value) { return value >= 0.0 && value < kMostFactor; };
  require(options.leak > 0.0 && options.leak <= 1.0,
          "[temporal layer] leak must be in (0, 1], got {}", options.leak);
  require(is_factor(options.spectral_radius),
          "[temporal layer] spectral_radius must be in [0, 1e6), got {}", options.spectral_radius);
  require(is_factor(options.input_scale),
          "[temporal layer] input_scale must be in [0, 1e6), got {}", options.input_scale);
  require(is_factor(options.bias_scale), "[temporal layer] bias_scale must be in [0, 1e6), got {}",
          options.bias_scale);
  require(options.density > 0.0 && options.density <= 1.0,
          "[temporal layer] density must be in (0, 1], got {}", options.density);
  const auto check = [&](const char* name, double value) {
    check_representable(message("[temporal layer] {}", name), value, options.dtype);
  };
  check("leak", options.leak);
  check("spectral_radius", options.spectral_radius);
  check("input_scale", options.input_scale);
  check("bias", options.bias);
  check("bias_scale", options.bias_scale);
  return options;
}

Array input_weights(std::int64_t inputs, std::int64_t outputs, const TemporalOptions& options) {
  if (options.input_scale == 1.0) {
    return initial_weights(options.init, outputs, inputs, options.dtype, options.random);
  }
  const Array drawn =
      initial_weights(options.init, outputs, inputs, DType::float64, options.random);
  return multiply(drawn, options.input_scale).astype(options.dtype);
}

Array recurrent_weights_of(std::int64_t size, const TemporalOptions& options) {
  const RandomStream stream = twin_of(options.random);
  if (options.density == 1.0) {
    return recurrent_weights(size, options.spectral_radius, options.dtype, stream);
  }
  return sparse_recurrent_weights(size, options.spectral_radius, options.density, options.dtype,
                                  stream, stream_for("density", options.random));
}

Array biases(std::int64_t size, const TemporalOptions& options) {
  if (options.bias_scale == 0.0) return full({size}, options.bias, options.dtype);
  const Array drawn = random_uniform({size}, -options.bias_scale, options.bias_scale,
                                     DType::float64, stream_for("bias", options.random));
  return add(drawn, options.bias).astype(options.dtype);
}

}  // namespace

void TemporalOptions::keys(ConfigVisitor& v) {
  v.choice({"activation", "what a neuron makes of its drive"}, activations(activation));
  v.choice({"init", "initial weights of the input"}, inits(init));
  v.number({"input_scale", "factor on the weights of the input"}, input_scale,
           {0.0, kMostFactor, false, true});
  v.number({"leak", "share of the state that is renewed at a tick"}, leak, {0.0, 1.0, true});
  v.number({"spectral_radius", "largest absolute eigenvalue of the recurrent weights"},
           spectral_radius, {0.0, kMostFactor, false, true});
  v.number({"density", "share of the recurrent weights that are not 0"}, density, {0.0, 1.0, true});
  v.number({"bias", "bias of every neuron"}, bias, kAnyNumber);
  v.number({"bias_scale", "a random number in +- this is added to each bias"}, bias_scale,
           {0.0, kMostFactor, false, true});
}

TemporalLayer::TemporalLayer(std::int64_t input_size, std::int64_t output_size,
                             const TemporalOptions& options)
    : Layer(input_size, output_size, checked(options).dtype),
      made_with_(options),
      activation_(options.activation),
      leak_(options.leak),
      weights_(input_weights(input_size, output_size, options)),
      recurrent_(recurrent_weights_of(output_size, options)),
      bias_(biases(output_size, options)) {}

std::unique_ptr<LayerKind> TemporalLayer::kind() const {
  return LayerKind::Of<TemporalOptions>::with(made_with_);
}

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
    fail<ShapeError>("[temporal layer] its state is of {} stream(s), got {}; reset its state first",
                     state_.shape(0), streams);
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
