// SPDX-License-Identifier: MIT
#include "interpolation.h"

#include <utility>

#include "../array/create.h"
#include "../array/indexing.h"
#include "../array/interpolation_steps.h"
#include "../array/joining.h"
#include "function.h"
#include "indexing.h"
#include "pointwise.h"

namespace gaia {
namespace {

/// Points in ascending order; in float64.
Tensor interp_between(const Tensor& x, const Array& xp, const Tensor& fp,
                      const InterpOptions& options) {
  const detail::Lines lines =
      detail::lines_at(x.value(), xp, fp.value(), options, x.requires_grad() || fp.requires_grad());
  return record(
      "interp", {x, fp}, lines.y,
      [points = xp.size(), slope = saved_for(x, lines.slope), below = saved_for(fp, lines.below),
       share = saved_for(fp, lines.share), inside = SavedArray(lines.inside)](GradientFlow& flow) {
        const Array& dy = flow.gradient();
        const Array& is_inside = flow.saved(inside);
        const bool all_inside = is_inside.rank() == 1 && is_inside.size() == 0;
        const Array seen = all_inside ? dy : where(is_inside, dy, 0.0);
        if (flow.needs(0)) flow.give(0, multiply(seen, flow.saved(slope)));
        if (!flow.needs(1)) return;
        const Array from = flow.saved(below).reshape({-1});
        const Array upper = multiply(seen, flow.saved(share)).reshape({-1});
        const Array sums = zeros({points}, dy.dtype());
        index_add(sums, from, subtract(seen.reshape({-1}), upper));
        index_add(sums, minimum(add(from, 1), points - 1), upper);
        flow.give(1, sums);
      });
}

/// x along an axis of another length.
Tensor resized(const Tensor& x, const detail::ResizedAxis& axis, Array value) {
  return record("interpolate", {x}, std::move(value),
                [axis, shape = x.shape()](GradientFlow& flow) {
                  const Array& dy = flow.gradient();
                  const Array dx = zeros(shape, dy.dtype());
                  if (axis.share.size() == 0) {
                    index_add(dx, axis.low, dy, axis.axis);
                  } else {
                    const Array share = detail::shares_of(axis, shape.rank(), dy.dtype());
                    const Array upper = multiply(dy, share);
                    index_add(dx, axis.low, subtract(dy, upper), axis.axis);
                    index_add(dx, axis.high, upper, axis.axis);
                  }
                  flow.give(0, dx);
                });
}

}  // namespace

Tensor interp(const Tensor& x, const Array& xp, const Tensor& fp, const InterpOptions& options) {
  const DType dtype = floating_result(promote(promote(x.dtype(), xp.dtype()), fp.dtype()));
  detail::check_points(xp.shape(), fp.shape());
  if (!options.period) return interp_between(x, xp, fp, options).astype(dtype);
  const auto core = [](const Tensor& at, const Array& positions, const Tensor& heights) {
    return interp_between(at, positions, heights, {});
  };
  return detail::interp_periodic(x, on_current_device(xp, "interp"), fp, *options.period, core)
      .astype(dtype);
}

Tensor interpolate(const Tensor& x, const InterpolateOptions& options) {
  const bool is_linear = options.mode == Interpolation::linear;
  Tensor y = is_linear ? x.astype(floating_result(x.dtype())) : x;
  for (const detail::ResizedAxis& axis : detail::resized_axes(x.shape(), x.dtype(), options)) {
    y = resized(y, axis, detail::resize(y.value(), axis));
  }
  return y;
}

}  // namespace gaia
