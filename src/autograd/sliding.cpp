// SPDX-License-Identifier: MIT
#include "sliding.h"

#include <vector>

#include "../array/ops.h"
#include "function.h"

namespace gaia {
namespace {

/// The inputs, and of their values what each other's gradients need.
struct Operands {
  Operands(const Tensor& signal, const Tensor& kernels, const std::optional<Tensor>& bias)
      : tensors{signal, kernels},
        x_shape(signal.shape()),
        weights_shape(kernels.shape()),
        x(saved_for(kernels, signal.value())),
        weights(saved_for(signal, kernels.value())) {
    if (bias) tensors.push_back(*bias);
  }

  std::vector<Tensor> tensors;
  Shape x_shape;
  Shape weights_shape;
  SavedArray x;
  SavedArray weights;
};

std::optional<Array> value_of(const std::optional<Tensor>& tensor) {
  return tensor ? std::optional(tensor->value()) : std::nullopt;
}

}  // namespace

Tensor conv2d(const Tensor& x, const Tensor& weights, const std::optional<Tensor>& bias,
              const Conv2dOptions& options) {
  const Operands in(x, weights, bias);
  return record("conv2d", in.tensors, conv2d(x.value(), weights.value(), value_of(bias), options),
                [options, x_shape = in.x_shape, weights_shape = in.weights_shape, x = in.x,
                 weights = in.weights, has_bias = bias.has_value()](GradientFlow& flow) {
                  const Array& dy = flow.gradient();
                  if (flow.needs(0)) {
                    flow.give(0, conv2d_input_gradient(dy, flow.saved(weights), x_shape, options));
                  }
                  if (flow.needs(1)) {
                    flow.give(1, conv2d_weight_gradient(flow.saved(x), dy, weights_shape, options));
                  }
                  if (has_bias && flow.needs(2)) flow.give(2, sum(dy, {0, 2, 3}));
                });
}

Tensor conv1d(const Tensor& x, const Tensor& weights, const std::optional<Tensor>& bias,
              const Conv1dOptions& options) {
  const Operands in(x, weights, bias);
  return record("conv1d", in.tensors, conv1d(x.value(), weights.value(), value_of(bias), options),
                [options, x_shape = in.x_shape, weights_shape = in.weights_shape, x = in.x,
                 weights = in.weights, has_bias = bias.has_value()](GradientFlow& flow) {
                  const Array& dy = flow.gradient();
                  if (flow.needs(0)) {
                    flow.give(0, conv1d_input_gradient(dy, flow.saved(weights), x_shape, options));
                  }
                  if (flow.needs(1)) {
                    flow.give(1, conv1d_weight_gradient(flow.saved(x), dy, weights_shape, options));
                  }
                  if (has_bias && flow.needs(2)) flow.give(2, sum(dy, {0, 2}));
                });
}

Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options) {
  const MaxPool pool = max_pool2d(x.value(), options);
  return record("max_pool2d", {x}, pool.values,
                [shape = x.shape(), from = SavedArray(pool.indices)](GradientFlow& flow) {
                  flow.give(0, max_pool2d_gradient(flow.gradient(), flow.saved(from), shape));
                });
}

Tensor max_pool1d(const Tensor& x, const MaxPool1dOptions& options) {
  const MaxPool pool = max_pool1d(x.value(), options);
  return record("max_pool1d", {x}, pool.values,
                [shape = x.shape(), from = SavedArray(pool.indices)](GradientFlow& flow) {
                  flow.give(0, max_pool1d_gradient(flow.gradient(), flow.saved(from), shape));
                });
}

Tensor avg_pool2d(const Tensor& x, const AvgPool2dOptions& options) {
  return record("avg_pool2d", {x}, avg_pool2d(x.value(), options),
                [shape = x.shape(), options](GradientFlow& flow) {
                  flow.give(0, avg_pool2d_gradient(flow.gradient(), shape, options));
                });
}

Tensor avg_pool1d(const Tensor& x, const AvgPool1dOptions& options) {
  return record("avg_pool1d", {x}, avg_pool1d(x.value(), options),
                [shape = x.shape(), options](GradientFlow& flow) {
                  flow.give(0, avg_pool1d_gradient(flow.gradient(), shape, options));
                });
}

}  // namespace gaia
