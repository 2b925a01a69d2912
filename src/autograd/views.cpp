// SPDX-License-Identifier: MIT
#include "views.h"

#include <utility>

#include "../array/create.h"
#include "function.h"

namespace gaia {
namespace {

/// Views that hold every element once: their gradient is the same elements in the shape of before.
Tensor reshaped(const char* name, const Tensor& x, Array view) {
  return record(name, {x}, std::move(view), [shape = x.shape()](GradientFlow& flow) {
    flow.give(0, flow.gradient().reshape(shape));
  });
}

/// Views that hold some elements: what they do not show has gradient 0.
template <class Take>
Tensor part(const char* name, const Tensor& x, const Take& take) {
  return record(name, {x}, take(x.value()), [shape = x.shape(), take](GradientFlow& flow) {
    const Array whole = zeros(shape, flow.gradient().dtype());
    take(whole).assign(flow.gradient());
    flow.give(0, whole);
  });
}

std::vector<Array> values_of(std::span<const Tensor> tensors) {
  std::vector<Array> values;
  for (const Tensor& tensor : tensors) values.push_back(tensor.value());
  return values;
}

/// The parts of a tensor that lie one behind the other along `axis`.
std::vector<Tensor> parts(const char* name, const Tensor& x, std::vector<Array> values,
                          std::int64_t axis) {
  const std::size_t count = values.size();
  return record(name, {x}, std::move(values), [count, axis](GradientFlow& flow) {
    std::vector<Array> gradients;
    for (std::size_t i = 0; i < count; ++i) gradients.push_back(flow.gradient(i));
    flow.give(0, concatenate(gradients, axis));
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
  return record("transpose", {x}, x.value().transpose(axes),
                [back](GradientFlow& flow) { flow.give(0, flow.gradient().transpose(back)); });
}

Tensor swapaxes(const Tensor& x, std::int64_t a, std::int64_t b) {
  return record("swapaxes", {x}, x.value().swapaxes(a, b),
                [a, b](GradientFlow& flow) { flow.give(0, flow.gradient().swapaxes(a, b)); });
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  return record("broadcast_to", {x}, x.value().broadcast_to(shape),
                [](GradientFlow& flow) { flow.give(0, flow.gradient()); });
}

Tensor flip(const Tensor& x, const Axes& axes) {
  return record("flip", {x}, flip(x.value(), axes),
                [axes](GradientFlow& flow) { flow.give(0, flip(flow.gradient(), axes)); });
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

Tensor concatenate(std::span<const Tensor> tensors, std::int64_t axis) {
  Array value = concatenate(values_of(tensors), axis);
  std::vector<std::int64_t> lengths;
  const int which = normalize_axis(axis, value.rank(), "concatenate");
  for (const Tensor& tensor : tensors) lengths.push_back(tensor.shape(which));
  return record("concatenate", {tensors.begin(), tensors.end()}, std::move(value),
                [which, lengths](GradientFlow& flow) {
                  std::int64_t start = 0;
                  for (std::size_t i = 0; i < lengths.size(); ++i) {
                    const std::int64_t stop = start + lengths[i];
                    flow.give(i, flow.gradient().slice(which, start, stop));
                    start = stop;
                  }
                });
}

Tensor stack(std::span<const Tensor> tensors, std::int64_t axis) {
  return record("stack", {tensors.begin(), tensors.end()}, stack(values_of(tensors), axis),
                [count = tensors.size(), axis](GradientFlow& flow) {
                  for (std::size_t i = 0; i < count; ++i) {
                    flow.give(i, flow.gradient().select(axis, static_cast<std::int64_t>(i)));
                  }
                });
}

std::vector<Tensor> split(const Tensor& x, std::int64_t sections, std::int64_t axis) {
  return parts("split", x, split(x.value(), sections, axis), axis);
}

std::vector<Tensor> split_at(const Tensor& x, const std::vector<std::int64_t>& positions,
                             std::int64_t axis) {
  return parts("split_at", x, split_at(x.value(), positions, axis), axis);
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
Tensor Tensor::operator[](std::int64_t index) const { return select(0, index); }

}  // namespace gaia
