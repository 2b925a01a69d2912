// SPDX-License-Identifier: MIT
#include "sorting.h"

#include <utility>

#include "../array/create.h"
#include "../array/indexing.h"
#include "function.h"

namespace gaia {
namespace {

/// Elements of x whose positions along `axis` are `indices`, none of them twice.
Tensor chosen(const char* name, const Tensor& x, Array values, const Array& indices, int axis) {
  return record(name, {x}, std::move(values),
                [shape = x.shape(), axis, at = SavedArray(indices)](GradientFlow& flow) {
                  const Array dx = zeros(shape, flow.gradient().dtype());
                  put_along_axis(dx, flow.saved(at), flow.gradient(), axis);
                  flow.give(0, dx);
                });
}

}  // namespace

Tensor sort(const Tensor& x, std::int64_t axis, SortOrder order) {
  const int which = normalize_axis(axis, x.rank(), "sort");
  const Array here = on_current_device(x.value(), "sort");
  const Array indices = argsort(here, which, order);
  return chosen("sort", x, take_along_axis(here, indices, which), indices, which);
}

TensorTopK top_k(const Tensor& x, std::int64_t k, std::int64_t axis, bool largest) {
  const TopK top = top_k(x.value(), k, axis, largest);
  const int which = normalize_axis(axis, x.rank(), "top_k");
  return {chosen("top_k", x, top.values, top.indices, which), top.indices};
}

}  // namespace gaia
