// SPDX-License-Identifier: MIT
#include "convolution.h"

#include "../../autograd/mixed_precision.h"
#include "../../core/message.h"
#include "dense.h"

namespace gaia {
namespace {

void check_channels(const char* type, std::int64_t in, std::int64_t out, std::int64_t groups) {
  check_size(type, "in_channels", in);
  check_size(type, "out_channels", out);
  check_size(type, "groups", groups);
  if (in % groups != 0 || out % groups != 0) {
    fail<ArgumentError>("[{}] groups: expected a divisor of {} and {} channels, got {}", type, in,
                        out, groups);
  }
}

std::optional<Tensor> bias_if(bool has_bias, const Tensor& bias) {
  return has_bias ? std::optional<Tensor>(bias) : std::nullopt;
}

}  // namespace

Conv1d::Conv1d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel,
               const Conv1dLayerOptions& options)
    : options_(options.convolution), has_bias_(options.bias) {
  check_channels("conv1d", in_channels, out_channels, options_.groups);
  check_size("conv1d", "kernel", kernel);
  check_trainable("conv1d", options.dtype);
  const Shape shape = {out_channels, in_channels / options_.groups, kernel};
  const Fan fan = fan_of(shape);
  weights_ = Tensor(initial_weights(options.init, shape, fan, options.dtype, options.random), true);
  add("weights", weights_);
  if (!has_bias_) return;
  bias_ =
      Tensor(initial_bias(options.init, out_channels, fan, options.dtype, options.random), true);
  add("bias", bias_);
}

Tensor Conv1d::forward(const Tensor& x) {
  return conv1d(x, weights_, bias_if(has_bias_, bias_), options_);
}

Tensor Conv1d::forward_bfloat16(const Tensor& x, DType answer) {
  return conv1d(x, round_to_bfloat16(weights_), bias_if(has_bias_, bias_), options_).astype(answer);
}

Conv2d::Conv2d(std::int64_t in_channels, std::int64_t out_channels, Pair kernel,
               const Conv2dLayerOptions& options)
    : options_(options.convolution), has_bias_(options.bias) {
  check_channels("conv2d", in_channels, out_channels, options_.groups);
  check_size("conv2d", "kernel", kernel[0]);
  check_size("conv2d", "kernel", kernel[1]);
  check_trainable("conv2d", options.dtype);
  const Shape shape = {out_channels, in_channels / options_.groups, kernel[0], kernel[1]};
  const Fan fan = fan_of(shape);
  weights_ = Tensor(initial_weights(options.init, shape, fan, options.dtype, options.random), true);
  add("weights", weights_);
  if (!has_bias_) return;
  bias_ =
      Tensor(initial_bias(options.init, out_channels, fan, options.dtype, options.random), true);
  add("bias", bias_);
}

Tensor Conv2d::forward(const Tensor& x) {
  return conv2d(x, weights_, bias_if(has_bias_, bias_), options_);
}

Tensor Conv2d::forward_bfloat16(const Tensor& x, DType answer) {
  return conv2d(x, round_to_bfloat16(weights_), bias_if(has_bias_, bias_), options_).astype(answer);
}

void ConvKeys::keys(ConfigVisitor& v) {
  v.integer({"channels", "number of feature maps", true}, channels, kNeurons);
  v.integer({"kernel", "length of the window along every axis"}, kernel, kWindow);
  v.integer({"stride", "from one window to the next"}, stride, kWindow);
  v.integer({"padding", "zeros at every end"}, padding, {0, 100000});
  v.choice({"activation", "what a neuron makes of its drive"}, activations(activation));
}

void Conv1dKind::add_to(const ModulePlace& place) const {
  place.expect_axes(2, "[channels, length]");
  const Conv1dLayerOptions options{.convolution = {.stride = stride, .padding = padding},
                                   .random = {}};
  place.net.add<Conv1d>(place.shape[1], channels, kernel, placed(options, place));
  place.activate(activation);
}

void Conv2dKind::add_to(const ModulePlace& place) const {
  place.expect_axes(3, "[channels, height, width]");
  const Conv2dLayerOptions options{
      .convolution = {.stride = {stride, stride}, .padding = {padding, padding}}, .random = {}};
  place.net.add<Conv2d>(place.shape[1], channels, kernel, placed(options, place));
  place.activate(activation);
}

}  // namespace gaia
