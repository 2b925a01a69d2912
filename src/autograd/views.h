// SPDX-License-Identifier: MIT
/// \file
/// The elements of tensors in another shape or order, cut out, joined and taken apart.  As for
/// arrays, the values of the first group are views where strides allow.
#pragma once

#include <concepts>
#include <optional>
#include <vector>

#include "../array/ops.h"
#include "tensor.h"

namespace gaia {

Tensor reshape(const Tensor& x, const Shape& shape);
Tensor transpose(const Tensor& x, const Axes& axes = {});
Tensor swapaxes(const Tensor& x, std::int64_t a, std::int64_t b);
Tensor squeeze(const Tensor& x, const Axes& axes = {});
Tensor expand_dims(const Tensor& x, std::int64_t axis);
Tensor broadcast_to(const Tensor& x, const Shape& shape);
/// Elements in reverse order along `axes`; along all if there are none.
Tensor flip(const Tensor& x, const Axes& axes = {});
/// Along `axis`, elements start, start + step, ... before stop, as Python's start:stop:step.
Tensor slice(const Tensor& x, std::int64_t axis, std::optional<std::int64_t> start,
             std::optional<std::int64_t> stop = {}, std::int64_t step = 1);
/// Position `index` along `axis`, which disappears.
Tensor select(const Tensor& x, std::int64_t axis, std::int64_t index);

/// Joins tensors along an axis that exists.
Tensor concatenate(const std::vector<Tensor>& tensors, std::int64_t axis);
/// Joins tensors of one shape along a new axis.
Tensor stack(const std::vector<Tensor>& tensors, std::int64_t axis);
// Templates, so that {a, b} written out means tensors or arrays as its elements do.
template <std::same_as<Tensor> T>
Tensor concatenate(std::initializer_list<T> tensors, std::int64_t axis = 0) {
  return concatenate(std::vector<Tensor>(tensors), axis);
}
template <std::same_as<Tensor> T>
Tensor stack(std::initializer_list<T> tensors, std::int64_t axis = 0) {
  return stack(std::vector<Tensor>(tensors), axis);
}

/// `parts` tensors of equal length along `axis`.  \throws ShapeError if they do not come out even.
std::vector<Tensor> split(const Tensor& x, std::int64_t parts, std::int64_t axis = 0);

}  // namespace gaia
