// SPDX-License-Identifier: MIT
/// \file
/// Functions that show the elements of tensors in another shape or order, or a part of them.  As
/// for arrays, the values of the first group are views where strides allow.
#pragma once

#include <cstdint>
#include <optional>

#include "../array/create.h"
#include "tensor.h"

namespace gaia {

Tensor reshape(const Tensor& x, const Shape& shape);
Tensor transpose(const Tensor& x, const Axes& axes = {});
Tensor swapaxes(const Tensor& x, std::int64_t a, std::int64_t b);
Tensor squeeze(const Tensor& x, const Axes& axes = {});
Tensor expand_dims(const Tensor& x, std::int64_t axis);
Tensor broadcast_to(const Tensor& x, const Shape& shape);
/// Along `axis`, elements start, start + step, ... before stop, as Python's start:stop:step.
Tensor slice(const Tensor& x, std::int64_t axis, std::optional<std::int64_t> start,
             std::optional<std::int64_t> stop = {}, std::int64_t step = 1);
/// Position `index` along `axis`, which disappears.
Tensor select(const Tensor& x, std::int64_t axis, std::int64_t index);

/// Elements (i, i + offset) of two axes, which disappear; the diagonal becomes the last axis.
Tensor diagonal(const Tensor& x, std::int64_t offset = 0, std::int64_t axis1 = 0,
                std::int64_t axis2 = 1);
/// Row i of [rows, columns] starts `row_stride` elements after row i - 1, in a contiguous 1-d
/// tensor; elements that several rows show get the sum of their gradients.
Tensor windows(const Tensor& x, std::int64_t rows, std::int64_t columns, std::int64_t row_stride);

/// The elements of the last two axes on diagonal k and below; 0 elsewhere.
Tensor tril(const Tensor& x, std::int64_t k = 0);
/// The elements on diagonal k and above.
Tensor triu(const Tensor& x, std::int64_t k = 0);
/// A matrix with the 1-d tensor on its diagonal k, or diagonal k of a matrix.
Tensor diag(const Tensor& x, std::int64_t k = 0);

}  // namespace gaia
