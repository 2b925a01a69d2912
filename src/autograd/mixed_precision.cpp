// SPDX-License-Identifier: MIT
#include "mixed_precision.h"

#include <type_traits>
#include <utility>
#include <vector>

#include "../array/apply.h"
#include "../array/functions.h"
#include "../array/ops.h"
#include "../array/reductions.h"
#include "../core/message.h"
#include "function.h"
#include "ops.h"

namespace gaia {
namespace {

Array stored(const Array& x) { return x.astype(DType::bfloat16); }
Array widened(const Array& x) { return x.astype(DType::float32); }

/// The rows of all leading axes one below the other.
Array rows_of(const Array& x) {
  return x.reshape({x.shape(-1) == 0 ? 0 : x.size() / x.shape(-1), x.shape(-1)});
}

}  // namespace

Tensor linear_bfloat16(const Tensor& x, const Tensor& weights, const std::optional<Tensor>& bias) {
  const Shape& shape = x.shape();
  if (shape.empty() || weights.rank() != 2 || shape.back() != weights.shape(1)) {
    fail<ShapeError>("[linear] expected inputs [..., {}], got shape {}", weights.shape(-1), shape);
  }
  const Array x16 = stored(x.value());
  const Array w16 = stored(weights.value());
  Shape result = shape;
  result.back() = weights.shape(0);
  Array y = matmul(rows_of(x16), w16.transpose()).reshape(result);
  std::vector<Tensor> inputs = {x, weights};
  if (bias) {
    y = y + bias->value();
    inputs.push_back(*bias);
  }
  return record("linear", inputs, std::move(y),
                [x = saved_for(weights, x16), w = saved_for(x, w16), shape,
                 has_bias = bias.has_value()](GradientFlow& flow) {
                  const Array dy = widened(rows_of(flow.gradient()));
                  if (flow.needs(0)) flow.give(0, matmul(dy, flow.saved(w)).reshape(shape));
                  if (flow.needs(1)) {
                    flow.give(1, matmul(dy.transpose(), rows_of(flow.saved(x))));
                  }
                  if (has_bias && flow.needs(2)) flow.give(2, sum(dy, {0}));
                });
}

Tensor activate_bfloat16(Activation f, const Tensor& x) {
  if (is_of_row(f)) return activate(f, x).astype(DType::bfloat16);
  return dispatch_activation(f, [&](const auto& functor) {
    using Functor = std::decay_t<decltype(functor)>;
    if constexpr (std::is_same_v<Functor, Identity>) {
      return x.astype(DType::bfloat16);
    } else {
      const Array y = stored(apply(functor, widened(x.value()), "activate"));
      constexpr Slope slope = Functor::facts.slope;
      // What the slope does not read is stood in for by what it reads.
      const Array kept = slope == Slope::of_y ? y : stored(x.value());
      const Array output = slope == Slope::of_x ? kept : y;
      return record(
          "activate", {x}, y,
          [functor, kept = SavedArray(kept), output = SavedArray(output)](GradientFlow& flow) {
            flow.give(0, unary_gradient(functor, widened(flow.saved(kept)),
                                        widened(flow.saved(output)), widened(flow.gradient())));
          });
    }
  });
}

Tensor round_to_bfloat16(const Tensor& x) {
  return record("round_to_bfloat16", {x}, stored(x.value()).astype(x.dtype()),
                [](GradientFlow& flow) { flow.give(0, flow.gradient()); });
}

}  // namespace gaia
