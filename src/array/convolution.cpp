// SPDX-License-Identifier: MIT
#include "convolution.h"

#include <algorithm>
#include <utility>

#include "../core/message.h"
#include "backend.h"
#include "convolution_steps.h"
#include "create.h"
#include "joining.h"
#include "kernel_families.h"
#include "operands.h"

namespace gaia {
namespace {

/// What a convolution's shapes come to.
struct Geometry {
  SlidingWindow window;
  std::int64_t groups = 1;
  Shape y_shape;
};

/// The geometry of conv2d.  \throws as it does.
Geometry geometry(const Shape& x, const Shape& weights, const Conv2dOptions& options,
                  const char* function) {
  if (x.rank() != 4 || weights.rank() != 4) {
    fail<ShapeError>(
        "[{}] expected x [N, C, H, W] and weights [O, C / groups, kh, kw], got shapes {} and {}",
        function, x, weights);
  }
  const std::int64_t groups = options.groups;
  if (groups < 1 || x[1] % groups != 0 || weights[0] % groups != 0) {
    fail<ArgumentError>(
        "[{}] expected groups that divide the {} channels of x and the {} of y, got {}", function,
        x[1], weights[0], groups);
  }
  if (weights[1] != x[1] / groups) {
    fail<ShapeError>(
        "[{}] x has {} channels in each group, the weights expect {}; shapes {} and {}", function,
        x[1] / groups, weights[1], x, weights);
  }
  const SlidingWindow window{.kernel = {weights[2], weights[3]},
                             .stride = options.stride,
                             .padding = options.padding,
                             .dilation = options.dilation};
  return {window,
          groups,
          {x[0], weights[0], count_windows(x[2], window, 0, false, function),
           count_windows(x[3], window, 1, false, function)}};
}

void check_y(const Array& dy, const Shape& expected, const char* function) {
  if (dy.shape() == expected) return;
  fail<ShapeError>("[{}] expected dy of shape {}, got {}", function, expected, dy.shape());
}

Array ready(const Array& x, DType dtype, const char* function) {
  return prepare(x, dtype, function).contiguous();
}

/// conv2d and its gradients, once shapes are checked; `which` is the one that is computed.
void run(ConvolutionPass pass, const Geometry& geometry, const Array& x, const Array& weights,
         const Array& y, const std::optional<Array>& bias = {}) {
  ConvolutionRun run{.pass = pass,
                     .window = geometry.window,
                     .groups = geometry.groups,
                     .precision = matmul_precision(),
                     .x = x.view(),
                     .weights = weights.view(),
                     .y = y.view(),
                     .bias = {}};
  if (bias) run.bias = bias->view();
  backend_for(KernelFamily::convolution).convolve(run);
}

/// Rows of x [N, F, n], or their parts by mode, each convolved with its row of `kernel` [F, m]:
/// [N, F, n'].
Array convolve_rows(Array x, Array kernel, ConvolutionMode mode, const char* function) {
  const Shape shape = x.shape();
  const bool causal = mode == ConvolutionMode::causal;
  std::int64_t n = shape[2];
  std::int64_t m = kernel.shape(1);
  if (causal && m > n) {
    kernel = kernel.slice(1, 0, n);  // what comes later would read x before its start
    m = n;
  } else if (m > n) {
    // The longer one slides over the shorter one, of which then all in a batch have their own.
    const Array signals = x.reshape({shape[0] * shape[1], n});
    x = kernel.broadcast_to({shape[0], shape[1], m}).reshape({1, shape[0] * shape[1], m});
    kernel = signals;
    std::swap(n, m);
  }
  const std::int64_t rows = x.shape(1);
  std::int64_t padding = m - 1;
  if (mode == ConvolutionMode::valid) padding = 0;
  if (mode == ConvolutionMode::same) padding = m / 2;
  const DType dtype = floating_result(promote(x.dtype(), kernel.dtype()));
  const Array signal = ready(x, dtype, function).reshape({x.shape(0), rows, 1, n});
  // Without rows there are no channels in the only group.
  const std::int64_t groups = std::max<std::int64_t>(rows, 1);
  const Array taps = ready(flip(kernel, {1}), dtype, function).reshape({rows, rows / groups, 1, m});
  const Geometry made =
      geometry(signal.shape(), taps.shape(), {.padding = {0, padding}, .groups = groups}, function);
  const Array y = Array::uninitialized(made.y_shape, dtype);
  if (y.size() > 0) run(ConvolutionPass::forward, made, signal, taps, y);
  const Array result = y.reshape({shape[0], shape[1], y.shape(3)});
  return causal || mode == ConvolutionMode::same ? result.slice(2, 0, n) : result;
}

Shape as_plane(const Shape& shape, const char* function) {
  if (shape.rank() != 3) {
    fail<ShapeError>(
        "[{}] expected x [N, C, L], weights [O, C / groups, k] and dy [N, O, L'], got shape {}",
        function, shape);
  }
  return {shape[0], shape[1], 1, shape[2]};
}

Array as_plane(const Array& x, const char* function) {
  as_plane(x.shape(), function);
  return x.expand_dims(2);
}

Conv2dOptions as_plane(const Conv1dOptions& options) {
  return {.stride = {1, options.stride},
          .padding = {0, options.padding},
          .dilation = {1, options.dilation},
          .groups = options.groups};
}

Array conv2d_of(const Array& x, const Array& weights, const std::optional<Array>& bias,
                const Conv2dOptions& options, const char* function) {
  const Geometry made = geometry(x.shape(), weights.shape(), options, function);
  DType dtype = promote(x.dtype(), weights.dtype());
  if (bias) {
    if (!(bias->shape() == Shape{weights.shape(0)})) {
      fail<ShapeError>("[{}] expected a bias of shape [{}], got {}", function, weights.shape(0),
                       bias->shape());
    }
    dtype = promote(dtype, bias->dtype());
  }
  dtype = floating_result(dtype);
  const Array y = Array::uninitialized(made.y_shape, dtype);
  if (y.size() == 0) return y;
  run(ConvolutionPass::forward, made, ready(x, dtype, function), ready(weights, dtype, function), y,
      bias ? std::optional(ready(*bias, dtype, function)) : std::nullopt);
  return y;
}

Array input_gradient_of(const Array& dy, const Array& weights, const Shape& x_shape,
                        const Conv2dOptions& options, const char* function) {
  const Geometry made = geometry(x_shape, weights.shape(), options, function);
  check_y(dy, made.y_shape, function);
  const DType dtype = floating_result(promote(dy.dtype(), weights.dtype()));
  const Array dx = Array::uninitialized(x_shape, dtype);
  if (dx.size() == 0) return dx;
  run(ConvolutionPass::input_gradient, made, dx, ready(weights, dtype, function),
      ready(dy, dtype, function));
  return dx;
}

Array weight_gradient_of(const Array& x, const Array& dy, const Shape& weights_shape,
                         const Conv2dOptions& options, const char* function) {
  const Geometry made = geometry(x.shape(), weights_shape, options, function);
  check_y(dy, made.y_shape, function);
  const DType dtype = floating_result(promote(x.dtype(), dy.dtype()));
  const Array dw = Array::uninitialized(weights_shape, dtype);
  if (dw.size() == 0) return dw;
  run(ConvolutionPass::weight_gradient, made, ready(x, dtype, function), dw,
      ready(dy, dtype, function));
  return dw;
}

}  // namespace

Array convolve1d(const Array& x, const Array& kernel, ConvolutionMode mode,
                 ConvolutionBoundary boundary) {
  detail::check_convolve1d(x, kernel);
  if (detail::reads_beyond(mode, boundary)) {
    const Array longer = detail::extended(x, kernel.shape(0), 0, mode, boundary);
    return convolve1d(longer, kernel, ConvolutionMode::valid);
  }
  return convolve_rows(x.reshape({1, 1, x.size()}), kernel.expand_dims(0), mode, "convolve1d")
      .reshape({-1});
}

Array temporal_convolution(const Array& x, const Array& kernel, ConvolutionMode mode,
                           ConvolutionBoundary boundary) {
  detail::check_temporal_convolution(x, kernel);
  if (detail::reads_beyond(mode, boundary)) {
    const Array longer = detail::extended(x, kernel.shape(0), x.rank() - 2, mode, boundary);
    return temporal_convolution(longer, kernel, ConvolutionMode::valid);
  }
  const std::int64_t columns = x.shape(-1);
  const Array rows =
      kernel.rank() == 2 ? kernel.transpose() : kernel.broadcast_to({columns, kernel.shape(0)});
  Shape shape = x.shape();
  const Array batch = x.reshape({x.size() == 0 ? 0 : -1, x.shape(-2), columns});
  const Array y =
      convolve_rows(batch.swapaxes(1, 2), rows, mode, "temporal_convolution").swapaxes(1, 2);
  shape[x.rank() - 2] = y.shape(1);
  return y.reshape(shape);
}

Array conv2d(const Array& x, const Array& weights, const std::optional<Array>& bias,
             const Conv2dOptions& options) {
  return conv2d_of(x, weights, bias, options, "conv2d");
}

Array conv2d_input_gradient(const Array& dy, const Array& weights, const Shape& x_shape,
                            const Conv2dOptions& options) {
  return input_gradient_of(dy, weights, x_shape, options, "conv2d_input_gradient");
}

Array conv2d_weight_gradient(const Array& x, const Array& dy, const Shape& weights_shape,
                             const Conv2dOptions& options) {
  return weight_gradient_of(x, dy, weights_shape, options, "conv2d_weight_gradient");
}

Array conv1d(const Array& x, const Array& weights, const std::optional<Array>& bias,
             const Conv1dOptions& options) {
  return conv2d_of(as_plane(x, "conv1d"), as_plane(weights, "conv1d"), bias, as_plane(options),
                   "conv1d")
      .squeeze({2});
}

Array conv1d_input_gradient(const Array& dy, const Array& weights, const Shape& x_shape,
                            const Conv1dOptions& options) {
  constexpr const char* function = "conv1d_input_gradient";
  return input_gradient_of(as_plane(dy, function), as_plane(weights, function),
                           as_plane(x_shape, function), as_plane(options), function)
      .squeeze({2});
}

Array conv1d_weight_gradient(const Array& x, const Array& dy, const Shape& weights_shape,
                             const Conv1dOptions& options) {
  constexpr const char* function = "conv1d_weight_gradient";
  return weight_gradient_of(as_plane(x, function), as_plane(dy, function),
                            as_plane(weights_shape, function), as_plane(options), function)
      .squeeze({2});
}

}  // namespace gaia
