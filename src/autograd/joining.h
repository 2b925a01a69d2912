// SPDX-License-Identifier: MIT
/// \file
/// Putting tensors together, taking them apart, turning them around and repeating them; as for
/// arrays (`array/joining.h`).
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "../array/joining.h"
#include "tensor.h"

namespace gaia {

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

/// Elements in reverse order along `axes`; along all if there are none.
Tensor flip(const Tensor& x, const Axes& axes = {});
/// Element i moves to i + shift along `axis`, or in row-major order; what leaves at one end enters
/// at the other.
Tensor roll(const Tensor& x, std::int64_t shift);
Tensor roll(const Tensor& x, std::int64_t shift, std::int64_t axis);

/// Each element `count` times in a row, along `axis`, or over the elements in row-major order, 1-d;
/// it gets the sum of the gradients of its copies.
Tensor repeat(const Tensor& x, std::int64_t count);
Tensor repeat(const Tensor& x, std::int64_t count, std::int64_t axis);
/// The whole of x `counts[i]` times along axis i; the shorter of shape and counts is filled up with
/// ones at its front.  As in repeat, gradients of copies add up.
Tensor tile(const Tensor& x, const Dims& counts);

}  // namespace gaia
