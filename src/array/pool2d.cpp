// SPDX-License-Identifier: MIT
#include "pool2d.h"

#include "../core/message.h"
#include "backend.h"
#include "create.h"
#include "indexing.h"
#include "kernel_families.h"
#include "operands.h"

namespace gaia {
namespace {

/// What a pooling's shapes come to.
struct PoolGeometry {
  SlidingWindow window;
  Shape y_shape;
};

/// Refuses windows that read nothing but padding, which has no maximum.
void check_reach(std::int64_t length, std::int64_t windows, const SlidingWindow& window, int side,
                 const char* function) {
  const auto which = static_cast<std::size_t>(side);
  const std::int64_t step = window.dilation[which];
  const std::int64_t last = (window.kernel[which] - 1) * step;
  for (std::int64_t i = 0; i < windows; ++i) {
    const std::int64_t start = i * window.stride[which] - window.padding[which];
    // The first tap that is not in front of the axis.
    const std::int64_t first = start >= 0 ? start : start + (step - 1 - start) / step * step;
    if (first < length && first <= start + last) continue;
    fail<ArgumentError>(
        "[{}] window {} along axis {} reads only padding; use a smaller dilation or padding",
        function, i, side + 2);
  }
}

PoolGeometry pool_geometry(const Shape& x, const SlidingWindow& window, bool ceil_mode,
                           const char* function) {
  if (x.rank() != 4) fail<ShapeError>("[{}] expected x [N, C, H, W], got shape {}", function, x);
  PoolGeometry made{window, x};
  for (const int side : {0, 1}) {
    const auto which = static_cast<std::size_t>(side);
    const std::int64_t windows = count_windows(x[side + 2], window, side, ceil_mode, function);
    if (window.padding[which] > window.kernel[which] / 2) {
      fail<ArgumentError>("[{}] expected a padding of at most half of the kernel {}, got {}",
                          function, window.kernel[which], window.padding[which]);
    }
    check_reach(x[side + 2], windows, window, side, function);
    made.y_shape[side + 2] = windows;
  }
  return made;
}

SlidingWindow window_of(const MaxPool2dOptions& options) {
  return {options.kernel, options.stride.value_or(options.kernel), options.padding,
          options.dilation};
}

SlidingWindow window_of(const AvgPool2dOptions& options) {
  return {options.kernel, options.stride.value_or(options.kernel), options.padding, {1, 1}};
}

/// [N, C, H, W] as [N C, H, W].
Shape planes(const Shape& shape) { return {shape[0] * shape[1], shape[2], shape[3]}; }

/// max_pool2d and avg_pool2d and its gradient, once shapes are checked.
void run(PlanePooling pooling, const SlidingWindow& window, bool count_padding, const Array& x,
         const Array& y, const Array* indices = nullptr) {
  PlanePoolRun run{.pooling = pooling,
                   .window = window,
                   .count_padding = count_padding,
                   .x = x.reshape(planes(x.shape())).view(),
                   .y = y.reshape(planes(y.shape())).view(),
                   .indices = {}};
  if (indices != nullptr) run.indices = indices->reshape(planes(indices->shape())).view();
  backend_for(KernelFamily::pooling).pool_planes(run);
}

Shape pool_plane(const Shape& shape, const char* function) {
  if (shape.rank() != 3) fail<ShapeError>("[{}] expected [N, C, L], got shape {}", function, shape);
  return {shape[0], shape[1], 1, shape[2]};
}

Array pool_plane(const Array& x, const char* function) {
  pool_plane(x.shape(), function);
  return x.expand_dims(2);
}

std::optional<Pair> pool_plane(const std::optional<std::int64_t>& stride) {
  return stride ? std::optional<Pair>({1, *stride}) : std::nullopt;
}

AvgPool2dOptions pool_plane(const AvgPool1dOptions& options) {
  return {.kernel = {1, options.kernel},
          .stride = pool_plane(options.stride),
          .padding = {0, options.padding},
          .ceil_mode = options.ceil_mode,
          .count_include_pad = options.count_include_pad};
}

MaxPool max_pool_of(const Array& x, const MaxPool2dOptions& options, const char* function) {
  const PoolGeometry made =
      pool_geometry(x.shape(), window_of(options), options.ceil_mode, function);
  const DType dtype = floating_result(x.dtype());
  const MaxPool result{Array::uninitialized(made.y_shape, dtype),
                       Array::uninitialized(made.y_shape, DType::int64)};
  if (result.values.size() > 0) {
    run(PlanePooling::max, made.window, true, prepare(x, dtype, function).contiguous(),
        result.values, &result.indices);
  }
  return result;
}

Array max_pool_gradient_of(const Array& dy, const Array& indices, const Shape& x_shape,
                           const char* function) {
  const bool fits = x_shape.rank() == 4 && dy.shape() == indices.shape() && dy.rank() == 4 &&
                    dy.shape(0) == x_shape[0] && dy.shape(1) == x_shape[1];
  if (!fits) {
    fail<ShapeError>(
        "[{}] expected dy and indices as max_pool2d answers, got shapes {} and {} for x {}",
        function, dy.shape(), indices.shape(), x_shape);
  }
  const Array dx = zeros(x_shape, floating_result(dy.dtype()));
  const Shape rows = {x_shape[0] * x_shape[1], x_shape[2] * x_shape[3]};
  const Shape moved = {rows[0], dy.shape(2) * dy.shape(3)};
  scatter_add(dx.reshape(rows), on_current_device(indices, function).reshape(moved),
              on_current_device(dy, function).reshape(moved), 1);
  return dx;
}

Array avg_pool_of(const Array& x, const AvgPool2dOptions& options, const char* function) {
  const PoolGeometry made =
      pool_geometry(x.shape(), window_of(options), options.ceil_mode, function);
  const DType dtype = floating_result(x.dtype());
  const Array y = Array::uninitialized(made.y_shape, dtype);
  if (y.size() > 0) {
    run(PlanePooling::average, made.window, options.count_include_pad,
        prepare(x, dtype, function).contiguous(), y);
  }
  return y;
}

Array avg_pool_gradient_of(const Array& dy, const Shape& x_shape, const AvgPool2dOptions& options,
                           const char* function) {
  const PoolGeometry made = pool_geometry(x_shape, window_of(options), options.ceil_mode, function);
  if (!(dy.shape() == made.y_shape)) {
    fail<ShapeError>("[{}] expected dy of shape {}, got {}", function, made.y_shape, dy.shape());
  }
  const DType dtype = floating_result(dy.dtype());
  const Array dx = Array::uninitialized(x_shape, dtype);
  if (dx.size() > 0) {
    run(PlanePooling::average_gradient, made.window, options.count_include_pad, dx,
        prepare(dy, dtype, function).contiguous());
  }
  return dx;
}

}  // namespace

MaxPool max_pool2d(const Array& x, const MaxPool2dOptions& options) {
  return max_pool_of(x, options, "max_pool2d");
}

Array max_pool2d_gradient(const Array& dy, const Array& indices, const Shape& x_shape) {
  return max_pool_gradient_of(dy, indices, x_shape, "max_pool2d_gradient");
}

Array avg_pool2d(const Array& x, const AvgPool2dOptions& options) {
  return avg_pool_of(x, options, "avg_pool2d");
}

Array avg_pool2d_gradient(const Array& dy, const Shape& x_shape, const AvgPool2dOptions& options) {
  return avg_pool_gradient_of(dy, x_shape, options, "avg_pool2d_gradient");
}

MaxPool max_pool1d(const Array& x, const MaxPool1dOptions& options) {
  const MaxPool pooled = max_pool_of(pool_plane(x, "max_pool1d"),
                                     {.kernel = {1, options.kernel},
                                      .stride = pool_plane(options.stride),
                                      .padding = {0, options.padding},
                                      .dilation = {1, options.dilation},
                                      .ceil_mode = options.ceil_mode},
                                     "max_pool1d");
  return {pooled.values.squeeze({2}), pooled.indices.squeeze({2})};
}

Array max_pool1d_gradient(const Array& dy, const Array& indices, const Shape& x_shape) {
  constexpr const char* function = "max_pool1d_gradient";
  return max_pool_gradient_of(pool_plane(dy, function), pool_plane(indices, function),
                              pool_plane(x_shape, function), function)
      .squeeze({2});
}

Array avg_pool1d(const Array& x, const AvgPool1dOptions& options) {
  return avg_pool_of(pool_plane(x, "avg_pool1d"), pool_plane(options), "avg_pool1d").squeeze({2});
}

Array avg_pool1d_gradient(const Array& dy, const Shape& x_shape, const AvgPool1dOptions& options) {
  constexpr const char* function = "avg_pool1d_gradient";
  return avg_pool_gradient_of(pool_plane(dy, function), pool_plane(x_shape, function),
                              pool_plane(options), function)
      .squeeze({2});
}

}  // namespace gaia
