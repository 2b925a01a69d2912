// SPDX-License-Identifier: MIT
#include "sliding.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "../array/convolution_steps.h"
#include "../array/create.h"
#include "../array/joining.h"
#include "../array/ops.h"
#include "function.h"
#include "padding.h"

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

std::optional<Array> value_if_any(const std::optional<Tensor>& tensor) {
  return tensor ? std::optional(tensor->value()) : std::nullopt;
}

/// The gradient of the full convolution of lengths n and m along `axis`, from that of the part that
/// `mode` returns: what is not returned has gradient 0.
Array full_gradient(const Array& dy, int axis, std::int64_t n, std::int64_t m,
                    ConvolutionMode mode) {
  if (mode == ConvolutionMode::full) return dy;
  std::int64_t start = 0;
  if (mode == ConvolutionMode::same) start = (std::min(n, m) - 1) / 2;
  if (mode == ConvolutionMode::valid) start = std::min(n, m) - 1;
  Shape shape = dy.shape();
  shape[axis] = n + m - 1;
  const Array full = zeros(shape, dy.dtype());
  full.slice(axis, start, start + dy.shape(axis)).assign(dy);
  return full;
}

/// [..., T, F] as columns side by side: [T, ... F].
Array side_by_side(const Array& x) {
  if (x.rank() == 2) return x;
  const std::int64_t steps = x.shape(-2);
  const std::int64_t columns = x.shape(-1);
  const std::int64_t batch = columns == 0 ? 0 : x.size() / (steps * columns);
  return x.reshape({batch, steps, columns}).transpose({1, 0, 2}).reshape({steps, batch * columns});
}

}  // namespace

// Gradients of y[t] = sum_j k[j] x[t - j]:
// dx[i] = sum_j k[j] dy[i + j], dk[j] = sum_i x[i] dy[i + j].

Tensor convolve1d(const Tensor& x, const Tensor& kernel, ConvolutionMode mode,
                  ConvolutionBoundary boundary) {
  detail::check_convolve1d(x, kernel);
  if (detail::reads_beyond(mode, boundary)) {
    const Tensor longer = detail::extended(x, kernel.shape(0), 0, mode, boundary);
    return convolve1d(longer, kernel, ConvolutionMode::valid);
  }
  Array value = convolve1d(x.value(), kernel.value(), mode);
  return record("convolve1d", {x, kernel}, std::move(value),
                [mode, n = x.size(), m = kernel.size(), x = saved_for(kernel, x.value()),
                 kernel = saved_for(x, kernel.value())](GradientFlow& flow) {
                  constexpr auto valid = ConvolutionMode::valid;
                  const Array dy = full_gradient(flow.gradient(), 0, n, m, mode);
                  if (flow.needs(0)) flow.give(0, convolve1d(dy, flip(flow.saved(kernel)), valid));
                  if (flow.needs(1)) flow.give(1, convolve1d(dy, flip(flow.saved(x)), valid));
                });
}

Tensor temporal_convolution(const Tensor& x, const Tensor& kernel, ConvolutionMode mode,
                            ConvolutionBoundary boundary) {
  detail::check_temporal_convolution(x, kernel);
  const int axis = x.rank() - 2;
  if (detail::reads_beyond(mode, boundary)) {
    const Tensor longer = detail::extended(x, kernel.shape(0), axis, mode, boundary);
    return temporal_convolution(longer, kernel, ConvolutionMode::valid);
  }
  Array value = temporal_convolution(x.value(), kernel.value(), mode);
  return record("temporal_convolution", {x, kernel}, std::move(value),
                [mode, axis, n = x.shape(axis), m = kernel.shape(0), is_shared = kernel.rank() == 1,
                 x = saved_for(kernel, x.value()),
                 kernel = saved_for(x, kernel.value())](GradientFlow& flow) {
                  constexpr auto valid = ConvolutionMode::valid;
                  const Array dy = full_gradient(flow.gradient(), axis, n, m, mode);
                  if (flow.needs(0)) {
                    flow.give(0, temporal_convolution(dy, flip(flow.saved(kernel), {0}), valid));
                  }
                  if (flow.needs(1)) {
                    const Array signals = side_by_side(flow.saved(x));
                    Array dk = temporal_convolution(side_by_side(dy), flip(signals, {0}), valid);
                    const std::int64_t columns = dy.shape(-1);
                    const std::int64_t batch = columns == 0 ? 0 : dk.shape(1) / columns;
                    if (axis > 0) dk = sum(dk.reshape({m, batch, columns}), {1});
                    flow.give(1, is_shared ? sum(dk, {1}) : dk);
                  }
                });
}

Tensor conv2d(const Tensor& x, const Tensor& weights, const std::optional<Tensor>& bias,
              const Conv2dOptions& options) {
  const Operands in(x, weights, bias);
  return record("conv2d", in.tensors,
                conv2d(x.value(), weights.value(), value_if_any(bias), options),
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
  return record("conv1d", in.tensors,
                conv1d(x.value(), weights.value(), value_if_any(bias), options),
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
