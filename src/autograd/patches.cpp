// SPDX-License-Identifier: MIT
#include "patches.h"

#include <utility>

#include "function.h"

namespace gaia {

Tensor unfold(const Tensor& x, const SlidingWindow& window) {
  Array value = unfold(x.value(), window);
  return record("unfold", {x}, std::move(value),
                [size = Pair{x.shape(-2), x.shape(-1)}, window](GradientFlow& flow) {
                  flow.give(0, fold(flow.gradient(), size, window));
                });
}

Tensor fold(const Tensor& columns, const Pair& size, const SlidingWindow& window) {
  return record("fold", {columns}, fold(columns.value(), size, window),
                [window](GradientFlow& flow) { flow.give(0, unfold(flow.gradient(), window)); });
}

}  // namespace gaia
