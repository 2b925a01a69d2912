// SPDX-License-Identifier: MIT
#include "distances.h"

#include "../array/distances_steps.h"
#include "function.h"

namespace gaia {

Tensor cdist(const Tensor& a, const Tensor& b, double p) {
  const Array value = cdist(a.value(), b.value(), p);
  return record("cdist", {a, b}, value,
                [p, a = SavedArray(a.value()), b = SavedArray(b.value()),
                 d = SavedArray(value)](GradientFlow& flow) {
                  const detail::DistanceGradients gradients = detail::distance_gradients(
                      flow.saved(a), flow.saved(b), p, flow.saved(d), flow.gradient());
                  flow.give(0, gradients.a);
                  flow.give(1, gradients.b);
                });
}

}  // namespace gaia
