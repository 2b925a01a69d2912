// SPDX-License-Identifier: MIT
#include "indexing.h"

#include <utility>

#include "../array/create.h"
#include "../array/ops.h"
#include "function.h"

namespace gaia {
namespace {

/// Zeros of `shape` to which x is added at `indices` along an axis.
Array scattered(const Array& x, const Array& indices, const Shape& shape, std::int64_t axis) {
  const Array whole = zeros(shape, x.dtype());
  scatter_add(whole, indices, x, axis);
  return whole;
}

Tensor scattered(const Tensor& x, const Array& indices, const Shape& shape, std::int64_t axis) {
  return scatter_add(Tensor(zeros(shape, x.dtype())), indices, x, axis);
}

/// The same of whole parts of x.
Array indexed(const Array& x, const Array& indices, const Shape& shape, std::int64_t axis) {
  const Array whole = zeros(shape, x.dtype());
  index_add(whole, indices, x, axis);
  return whole;
}

Tensor indexed(const Tensor& x, const Array& indices, const Shape& shape, std::int64_t axis) {
  return index_add(Tensor(zeros(shape, x.dtype())), indices, x, axis);
}

}  // namespace

Tensor take(const Tensor& x, const Array& indices) {
  return record("take", {x}, take(x.value(), indices),
                [shape = x.shape(), at = SavedArray(indices)](GradientFlow& flow) {
                  const Array dx = zeros({count_elements(shape)}, flow.gradient().dtype());
                  index_add(dx, flow.saved(at), flow.gradient());
                  flow.give(0, dx.reshape(shape));
                });
}

Tensor take(const Tensor& x, const Array& indices, std::int64_t axis) {
  if (x.rank() == 0) return take(x.reshape({1}), indices, axis);
  return record_twice("take", {x}, take(x.value(), indices, axis),
                      [shape = x.shape(), axis, at = SavedArray(indices)](auto& flow) {
                        flow.give(0, indexed(flow.gradient(), flow.saved(at), shape, axis));
                      });
}

Tensor take_along_axis(const Tensor& x, const Array& indices, std::int64_t axis) {
  Array value = take_along_axis(x.value(), indices, axis);
  const int which = normalize_axis(axis, x.rank(), "take_along_axis");
  Shape source = value.shape();
  source[which] = x.shape(which);
  return record_twice("take_along_axis", {x}, std::move(value),
                      [source, which, at = SavedArray(indices)](auto& flow) {
                        const auto& dy = flow.gradient();
                        const Array places = flow.saved(at).broadcast_to(dy.shape());
                        flow.give(0, scattered(dy, places, source, which));
                      });
}

Tensor gather(const Tensor& x, const Array& indices, std::int64_t axis) {
  return record_twice("gather", {x}, gather(x.value(), indices, axis),
                      [shape = x.shape(), axis, at = SavedArray(indices)](auto& flow) {
                        flow.give(0, scattered(flow.gradient(), flow.saved(at), shape, axis));
                      });
}

Tensor masked_select(const Tensor& x, const Array& mask) {
  return record("masked_select", {x}, masked_select(x.value(), mask),
                [shape = x.shape(), where = SavedArray(mask)](GradientFlow& flow) {
                  const Array dx = zeros(shape, flow.gradient().dtype());
                  masked_assign(dx, flow.saved(where), flow.gradient());
                  flow.give(0, dx);
                });
}

Tensor index_add(const Tensor& x, const Array& indices, const Tensor& values, std::int64_t axis) {
  Array value = on_current_device(x.value(), "index_add").copy();
  index_add(value, indices, values.value(), axis);
  return record_twice("index_add", {x, values}, std::move(value),
                      [axis, at = SavedArray(indices)](auto& flow) {
                        flow.give(0, flow.gradient());
                        if (flow.needs(1))
                          flow.give(1, take(flow.gradient(), flow.saved(at), axis));
                      });
}

Tensor scatter_add(const Tensor& x, const Array& indices, const Tensor& values, std::int64_t axis) {
  Array value = on_current_device(x.value(), "scatter_add").copy();
  scatter_add(value, indices, values.value(), axis);
  return record_twice("scatter_add", {x, values}, std::move(value),
                      [axis, at = SavedArray(indices)](auto& flow) {
                        flow.give(0, flow.gradient());
                        if (flow.needs(1))
                          flow.give(1, gather(flow.gradient(), flow.saved(at), axis));
                      });
}

Tensor masked_fill(const Tensor& x, const Array& mask, double value) {
  Array filled = on_current_device(x.value(), "masked_fill").copy();
  masked_fill(filled, mask, value);
  return record("masked_fill", {x}, std::move(filled),
                [where = SavedArray(mask)](GradientFlow& flow) {
                  const Array dx = flow.gradient().copy();
                  masked_fill(dx, flow.saved(where), 0.0);
                  flow.give(0, dx);
                });
}

}  // namespace gaia
