// SPDX-License-Identifier: MIT
/// \file
/// Elements of tensors by their positions.  Indices and masks are arrays, as for the functions of
/// arrays with the same names; what is not read has gradient 0, what is read twice gets both
/// gradients.
#pragma once

#include <cstdint>

#include "../array/indexing.h"
#include "tensor.h"

namespace gaia {

/// The elements of x, read as one row, at `indices`.
Tensor take(const Tensor& x, const Array& indices);
/// y[..., i, ...] = x[..., indices[i], ...].
Tensor take(const Tensor& x, const Array& indices, std::int64_t axis);
/// y[..., i, ...] = x[..., indices[..., i, ...], ...] along `axis`; the other axes broadcast.
Tensor take_along_axis(const Tensor& x, const Array& indices, std::int64_t axis);
/// The same as take_along_axis, but `indices` may be shorter along the other axes; it never
/// repeats.
Tensor gather(const Tensor& x, const Array& indices, std::int64_t axis);
/// x[mask]: [count, remaining axes of x].
Tensor masked_select(const Tensor& x, const Array& mask);

// Those that change arrays in place return a new tensor here.

/// x with values[..., i, ...] added at [..., indices[i], ...].
[[nodiscard]] Tensor index_add(const Tensor& x, const Array& indices, const Tensor& values,
                               std::int64_t axis = 0);
/// x with values[..., i, ...] added at [..., indices[..., i, ...], ...] along `axis`.
[[nodiscard]] Tensor scatter_add(const Tensor& x, const Array& indices, const Tensor& values,
                                 std::int64_t axis);
/// x, and `value` where the mask holds.
[[nodiscard]] Tensor masked_fill(const Tensor& x, const Array& mask, double value);

}  // namespace gaia
