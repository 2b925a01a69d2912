// SPDX-License-Identifier: MIT
/// \file
/// The elements of tensors in another shape or order, cut out, joined and taken apart.  As for
/// arrays, the values of the first group are views where strides allow.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "../array/joining.h"
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
Tensor concatenate(std::span<const Tensor> tensors, std::int64_t axis = 0);
/// Joins tensors of one shape along a new axis.
Tensor stack(std::span<const Tensor> tensors, std::int64_t axis = 0);
// Templates, so that {a, b} written out means tensors or arrays as its elements do.
template <std::same_as<Tensor> T>
Tensor concatenate(std::initializer_list<T> tensors, std::int64_t axis = 0) {
  return concatenate(std::span(tensors.begin(), tensors.size()), axis);
}
template <std::same_as<Tensor> T>
Tensor stack(std::initializer_list<T> tensors, std::int64_t axis = 0) {
  return stack(std::span(tensors.begin(), tensors.size()), axis);
}

/// `sections` tensors of equal length along `axis`.
std::vector<Tensor> split(const Tensor& x, std::int64_t sections, std::int64_t axis = 0);
/// Cut before each of `positions` along `axis`.
std::vector<Tensor> split_at(const Tensor& x, const std::vector<std::int64_t>& positions,
                             std::int64_t axis = 0);

}  // namespace gaia
