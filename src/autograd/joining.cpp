// SPDX-License-Identifier: MIT
#include "joining.h"

#include <utility>

#include "../array/ops.h"
#include "function.h"
#include "views.h"

namespace gaia {
namespace {

std::vector<Array> values_of(std::span<const Tensor> tensors) {
  std::vector<Array> values;
  for (const Tensor& tensor : tensors) values.push_back(tensor.value());
  return values;
}

/// The parts of a tensor that lie one behind the other along `axis`.
std::vector<Tensor> parts(const char* name, const Tensor& x, std::vector<Array> values,
                          std::int64_t axis) {
  const std::size_t count = values.size();
  return record_twice(name, {x}, std::move(values), [count, axis](auto& flow) {
    std::vector<std::decay_t<decltype(flow.gradient())>> gradients;
    for (std::size_t i = 0; i < count; ++i) gradients.push_back(flow.gradient(i));
    flow.give(0, concatenate(gradients, axis));
  });
}

/// The shift that undoes another over `length` positions; -shift itself may not exist.
std::int64_t shift_back(std::int64_t shift, std::int64_t length) {
  return length == 0 ? 0 : -(shift % length);
}

/// x [before, copies length, behind] with its copies along `axis` summed: [before, length, behind].
Array sum_of_copies(const Array& x, int axis, std::int64_t length) {
  if (x.shape(axis) == length) return x;
  Shape shape = x.shape();
  std::int64_t before = 1;
  std::int64_t behind = 1;
  for (int i = 0; i < axis; ++i) before *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) behind *= shape[i];
  const Array copies = x.reshape({before, shape[axis] / length, length, behind});
  shape[axis] = length;
  return sum(copies, {1}).reshape(shape);
}

}  // namespace

Tensor concatenate(std::span<const Tensor> tensors, std::int64_t axis) {
  Array value = concatenate(values_of(tensors), axis);
  std::vector<std::int64_t> lengths;
  const int which = normalize_axis(axis, value.rank(), "concatenate");
  for (const Tensor& tensor : tensors) lengths.push_back(tensor.shape(which));
  return record_twice("concatenate", {tensors.begin(), tensors.end()}, std::move(value),
                      [which, lengths](auto& flow) {
                        std::int64_t start = 0;
                        for (std::size_t i = 0; i < lengths.size(); ++i) {
                          const std::int64_t stop = start + lengths[i];
                          flow.give(i, flow.gradient().slice(which, start, stop));
                          start = stop;
                        }
                      });
}

Tensor stack(std::span<const Tensor> tensors, std::int64_t axis) {
  return record_twice("stack", {tensors.begin(), tensors.end()}, stack(values_of(tensors), axis),
                      [count = tensors.size(), axis](auto& flow) {
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

Tensor flip(const Tensor& x, const Axes& axes) {
  return record_twice("flip", {x}, flip(x.value(), axes),
                      [axes](auto& flow) { flow.give(0, flip(flow.gradient(), axes)); });
}

Tensor roll(const Tensor& x, std::int64_t shift) {
  return record("roll", {x}, roll(x.value(), shift), [shift, size = x.size()](GradientFlow& flow) {
    flow.give(0, roll(flow.gradient(), shift_back(shift, size)));
  });
}

Tensor roll(const Tensor& x, std::int64_t shift, std::int64_t axis) {
  Array value = roll(x.value(), shift, axis);
  const std::int64_t back = shift_back(shift, value.shape(static_cast<int>(axis)));
  return record("roll", {x}, std::move(value), [back, axis](GradientFlow& flow) {
    flow.give(0, roll(flow.gradient(), back, axis));
  });
}

Tensor repeat(const Tensor& x, std::int64_t count) {
  return repeat(reshape(x, {x.size()}), count, 0);
}

Tensor repeat(const Tensor& x, std::int64_t count, std::int64_t axis) {
  if (x.rank() == 0) return repeat(reshape(x, {1}), count, axis);
  Array value = repeat(x.value(), count, axis);
  const int which = normalize_axis(axis, x.rank(), "repeat");
  return record("repeat", {x}, std::move(value),
                [shape = x.shape(), count, which](GradientFlow& flow) {
                  std::int64_t before = 1;
                  for (int i = 0; i <= which; ++i) before *= shape[i];
                  std::int64_t behind = 1;
                  for (int i = which + 1; i < shape.rank(); ++i) behind *= shape[i];
                  const Array copies = flow.gradient().reshape({before, count, behind});
                  flow.give(0, sum(copies, {1}).reshape(shape));
                });
}

Tensor tile(const Tensor& x, const Dims& counts) {
  return record("tile", {x}, tile(x.value(), counts), [shape = x.shape()](GradientFlow& flow) {
    Array sums = flow.gradient();
    // From the last axis on, so that what lies behind an axis is summed already.
    const int extra = sums.rank() - shape.rank();
    for (int axis = sums.rank() - 1; axis >= 0; --axis) {
      const std::int64_t length = axis < extra ? 1 : shape[axis - extra];
      sums = sum_of_copies(sums, axis, length);
    }
    flow.give(0, sums.reshape(shape));
  });
}

}  // namespace gaia
