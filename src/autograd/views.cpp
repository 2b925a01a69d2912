// SPDX-License-Identifier: MIT
#include "views.h"

#include <utility>

#include "../array/create.h"
#include "../array/indexing.h"
#include "function.h"

namespace gaia {
namespace {

/// Views that hold every element once: their gradient is the same elements in the shape of before.
Tensor reshaped(const char* name, const Tensor& x, Array view) {
  return record_twice(name, {x}, std::move(view), [shape = x.shape()](auto& flow) {
    flow.give(0, flow.gradient().reshape(shape));
  });
}

/// Zeros of `shape` with x where `take` shows them.
template <class Take>
Array placed(const char*, const Array& x, const Shape& shape, const Take& take) {
  const Array whole = zeros(shape, x.dtype());
  take(whole).assign(x);
  return whole;
}

template <class Take>
Tensor placed(const char* name, const Tensor& x, const Shape& shape, const Take& take);

template <class Take>
Array part(const char*, const Array& x, const Take& take) {
  return take(x);
}

/// Views that hold some elements: what they do not show has gradient 0.
template <class Take>
Tensor part(const char* name, const Tensor& x, const Take& take) {
  return record_twice(name, {x}, take(x.value()), [name, shape = x.shape(), take](auto& flow) {
    flow.give(0, placed(name, flow.gradient(), shape, take));
  });
}

template <class Take>
Tensor placed(const char* name, const Tensor& x, const Shape& shape, const Take& take) {
  return record_twice(name, {x}, placed(name, x.value(), shape, take), [name, take](auto& flow) {
    flow.give(0, part(name, flow.gradient(), take));
  });
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape) {
  return reshaped("reshape", x, x.value().reshape(shape));
}

Tensor squeeze(const Tensor& x, const Axes& axes) {
  return reshaped("squeeze", x, x.value().squeeze(axes));
}

Tensor expand_dims(const Tensor& x, std::int64_t axis) {
  return reshaped("expand_dims", x, x.value().expand_dims(axis));
}

Tensor transpose(const Tensor& x, const Axes& axes) {
  Axes back;
  if (!axes.empty()) {
    const Axes order = normalize_axes(axes, x.rank(), "transpose");
    back = Axes::filled(order.rank(), 0);
    for (int axis = 0; axis < order.rank(); ++axis) back[static_cast<int>(order[axis])] = axis;
  }
  return record_twice("transpose", {x}, x.value().transpose(axes),
                      [back](auto& flow) { flow.give(0, flow.gradient().transpose(back)); });
}

Tensor swapaxes(const Tensor& x, std::int64_t a, std::int64_t b) {
  return record_twice("swapaxes", {x}, x.value().swapaxes(a, b),
                      [a, b](auto& flow) { flow.give(0, flow.gradient().swapaxes(a, b)); });
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  return record_twice("broadcast_to", {x}, x.value().broadcast_to(shape),
                      [](auto& flow) { flow.give(0, flow.gradient()); });
}

Tensor slice(const Tensor& x, std::int64_t axis, std::optional<std::int64_t> start,
             std::optional<std::int64_t> stop, std::int64_t step) {
  return part("slice", x, [axis, start, stop, step](const Array& whole) {
    return whole.slice(axis, start, stop, step);
  });
}

Tensor select(const Tensor& x, std::int64_t axis, std::int64_t index) {
  return part("select", x, [axis, index](const Array& whole) { return whole.select(axis, index); });
}

Tensor diagonal(const Tensor& x, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
  return part("diagonal", x, [offset, axis1, axis2](const Array& whole) {
    return whole.diagonal(offset, axis1, axis2);
  });
}

Tensor windows(const Tensor& x, std::int64_t rows, std::int64_t columns, std::int64_t row_stride) {
  return record("windows", {x}, x.value().windows(rows, columns, row_stride),
                [length = x.size(), rows, columns, row_stride](GradientFlow& flow) {
                  // Elements that several rows show get the sum of their gradients.
                  const Array dx = zeros({length}, flow.gradient().dtype());
                  index_add(dx, arange(length).windows(rows, columns, row_stride), flow.gradient());
                  flow.give(0, dx);
                });
}

Tensor tril(const Tensor& x, std::int64_t k) {
  return record_twice("tril", {x}, tril(x.value(), k),
                      [k](auto& flow) { flow.give(0, tril(flow.gradient(), k)); });
}

Tensor triu(const Tensor& x, std::int64_t k) {
  return record_twice("triu", {x}, triu(x.value(), k),
                      [k](auto& flow) { flow.give(0, triu(flow.gradient(), k)); });
}

Tensor diag(const Tensor& x, std::int64_t k) {
  if (x.rank() == 2) return diagonal(x, k);
  return record("diag", {x}, diag(x.value(), k),
                [k](GradientFlow& flow) { flow.give(0, flow.gradient().diagonal(k)); });
}

Tensor Tensor::reshape(const Shape& shape) const { return gaia::reshape(*this, shape); }
Tensor Tensor::transpose(const Axes& axes) const { return gaia::transpose(*this, axes); }
Tensor Tensor::swapaxes(std::int64_t a, std::int64_t b) const {
  return gaia::swapaxes(*this, a, b);
}
Tensor Tensor::squeeze(const Axes& axes) const { return gaia::squeeze(*this, axes); }
Tensor Tensor::expand_dims(std::int64_t axis) const { return gaia::expand_dims(*this, axis); }
Tensor Tensor::broadcast_to(const Shape& shape) const { return gaia::broadcast_to(*this, shape); }
Tensor Tensor::slice(std::int64_t axis, std::optional<std::int64_t> start,
                     std::optional<std::int64_t> stop, std::int64_t step) const {
  return gaia::slice(*this, axis, start, stop, step);
}
Tensor Tensor::select(std::int64_t axis, std::int64_t index) const {
  return gaia::select(*this, axis, index);
}
Tensor Tensor::diagonal(std::int64_t offset, std::int64_t axis1, std::int64_t axis2) const {
  return gaia::diagonal(*this, offset, axis1, axis2);
}
Tensor Tensor::operator[](std::int64_t index) const { return select(0, index); }

}  // namespace gaia
