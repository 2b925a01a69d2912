// SPDX-License-Identifier: MIT
#include <cmath>

#include "../core/message.h"
#include "../formulas/representable.h"
#include "backend.h"
#include "create.h"
#include "fused.h"
#include "fused_operands.h"
#include "operands.h"
#include "ops.h"
#include "unfused.h"

namespace gaia {
namespace {

/// What the number of axes makes of the shape of x.
struct Layout {
  Axes axes;       // axes that are normalised
  Axes rows_axes;  // the others
  Shape width;     // lengths of the normalised axes
  Shape kept;      // length 1 along these
  std::int64_t rows;
  std::int64_t n;

  Layout(const Array& x, const LayerNormOptions& options, const char* function) {
    if (options.axes < 1 || options.axes > x.rank()) {
      fail<ShapeError>("[{}] expected 1 to {} axes of shape {}, got {}", function, x.rank(),
                       x.shape(), options.axes);
    }
    kept = x.shape();
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (axis < x.rank() - options.axes) {
        rows_axes.push_back(axis);
      } else {
        axes.push_back(axis);
        width.push_back(x.shape(axis));
        kept[axis] = 1;
      }
    }
    rows = count_elements(kept);
    n = count_elements(width);
  }
};

void check_affine(const std::optional<Array>& weight, const std::optional<Array>& bias,
                  const Layout& layout, const char* function) {
  if (weight) check_shape(*weight, layout.width, "a weight", function);
  if (bias) check_shape(*bias, layout.width, "a bias", function);
}

Layout checked_forward(const Array& x, const std::optional<Array>& weight,
                       const std::optional<Array>& bias, const LayerNormOptions& options) {
  if (!(options.epsilon >= 0.0) || std::isinf(options.epsilon)) {
    fail<ArgumentError>("[layer_norm] expected a finite epsilon >= 0, got {}",
                        std::to_string(options.epsilon));
  }
  check_representable("[layer_norm] epsilon", options.epsilon, x.dtype());
  const Layout layout(x, options, "layer_norm");
  check_affine(weight, bias, layout, "layer_norm");
  return layout;
}

Layout checked_backward(const Array& dy, const Array& x, const std::optional<Array>& weight,
                        const Array& mean, const Array& rstd, const LayerNormOptions& options) {
  const char* const function = "layer_norm_backward";
  const Layout layout(x, options, function);
  check_affine(weight, std::nullopt, layout, function);
  check_shape(dy, x.shape(), "dy", function);
  check_shape(mean, layout.kept, "mean", function);
  check_shape(rstd, layout.kept, "rstd", function);
  return layout;
}

std::optional<Array> dense_or_none(const std::optional<Array>& x, DType dtype,
                                   const char* function) {
  if (!x) return std::nullopt;
  return dense(*x, dtype, function).reshape({x->size()});
}

}  // namespace

Array layer_norm(const Array& x, const std::optional<Array>& weight,
                 const std::optional<Array>& bias, const LayerNormOptions& options) {
  return layer_norm_forward(x, weight, bias, options).y;
}

LayerNormResult layer_norm_forward(const Array& x, const std::optional<Array>& weight,
                                   const std::optional<Array>& bias,
                                   const LayerNormOptions& options) {
  const Layout layout = checked_forward(x, weight, bias, options);
  const DType dtype = common_dtype(
      {x.dtype(), weight ? weight->dtype() : x.dtype(), bias ? bias->dtype() : x.dtype()});
  if (!runs_fused(FusedKernel::layer_norm, dtype)) {
    return unfused::layer_norm_forward(x, weight, bias, options);
  }
  const LayerNormResult result = {Array::uninitialized(x.shape(), dtype),
                                  Array::uninitialized(layout.kept, dtype),
                                  Array::uninitialized(layout.kept, dtype)};
  if (x.size() == 0) {
    result.mean.fill(std::nan(""));
    result.rstd.fill(std::nan(""));
    return result;
  }
  const Shape rows = {layout.rows, layout.n};
  const Array input = dense(x, dtype, "layer_norm").reshape(rows);
  const auto scale = dense_or_none(weight, dtype, "layer_norm");
  const auto offset = dense_or_none(bias, dtype, "layer_norm");
  backend(current_device())
      .layer_norm({.epsilon = options.epsilon,
                   .x = input.view(),
                   .weight = view_of(scale),
                   .bias = view_of(offset),
                   .y = result.y.reshape(rows).view(),
                   .mean = result.mean.reshape({layout.rows}).view(),
                   .rstd = result.rstd.reshape({layout.rows}).view()});
  return result;
}

LayerNormGradients layer_norm_backward(const Array& dy, const Array& x,
                                       const std::optional<Array>& weight, const Array& mean,
                                       const Array& rstd, const LayerNormOptions& options) {
  const char* const function = "layer_norm_backward";
  const Layout layout = checked_backward(dy, x, weight, mean, rstd, options);
  const DType dtype = common_dtype(
      {dy.dtype(), x.dtype(), weight ? weight->dtype() : x.dtype(), mean.dtype(), rstd.dtype()});
  if (!runs_fused(FusedKernel::layer_norm_backward, dtype)) {
    return unfused::layer_norm_backward(dy, x, weight, mean, rstd, options);
  }
  if (x.size() == 0) {
    return {zeros(x.shape(), dtype), zeros(layout.width, dtype), zeros(layout.width, dtype)};
  }
  const Shape rows = {layout.rows, layout.n};
  const Array slopes = dense(dy, dtype, function).reshape(rows);
  const Array input = dense(x, dtype, function).reshape(rows);
  const auto scale = dense_or_none(weight, dtype, function);
  const Array means = dense(mean, dtype, function).reshape({layout.rows});
  const Array rstds = dense(rstd, dtype, function).reshape({layout.rows});
  const Array dx = Array::uninitialized(rows, dtype);
  const Array dweight = Array::uninitialized({layout.n}, dtype);
  const Array dbias = Array::uninitialized({layout.n}, dtype);
  backend(current_device())
      .layer_norm_backward({.dy = slopes.view(),
                            .x = input.view(),
                            .weight = view_of(scale),
                            .mean = means.view(),
                            .rstd = rstds.view(),
                            .dx = dx.view(),
                            .dweight = dweight.view(),
                            .dbias = dbias.view()});
  return {dx.reshape(x.shape()), dweight.reshape(layout.width), dbias.reshape(layout.width)};
}

namespace unfused {

LayerNormResult layer_norm_forward(const Array& x, const std::optional<Array>& weight,
                                   const std::optional<Array>& bias,
                                   const LayerNormOptions& options) {
  const Layout layout = checked_forward(x, weight, bias, options);
  const DType dtype = floating_result(x.dtype());
  const MeanAndVariance of = mean_and_variance(x, layout.axes);
  const Array level = of.mean.astype(dtype);
  const Array rstd = (1.0 / sqrt(of.variance + options.epsilon)).astype(dtype);
  Array y = (x - level) * rstd;
  if (weight) y = y * *weight;
  if (bias) y = y + *bias;
  return {y, level, rstd};
}

LayerNormGradients layer_norm_backward(const Array& dy, const Array& x,
                                       const std::optional<Array>& weight, const Array& mean,
                                       const Array& rstd, const LayerNormOptions& options) {
  const Layout layout = checked_backward(dy, x, weight, mean, rstd, options);
  const Array h = (x - mean) * rstd;
  const Array g = weight ? dy * *weight : dy;
  const Array level = gaia::mean(g, layout.axes, true);
  const Array tilt = gaia::mean(g * h, layout.axes, true);
  const auto over_rows = [&](const Array& slopes) {
    return layout.rows_axes.empty() ? slopes : sum(slopes, layout.rows_axes);
  };
  return {rstd * (g - level - h * tilt), over_rows(dy * h), over_rows(dy)};
}

}  // namespace unfused
}  // namespace gaia
