// SPDX-License-Identifier: MIT
/// \file
/// Products of vectors and matrices of tensors.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "../array/linear.h"
#include "../array/ops.h"
#include "tensor.h"

namespace gaia {

/// [..., m, k] by [..., k, n] gives [..., m, n]; a 1-d argument is a row on the left, a column on
/// the right, and that axis disappears.  Leading axes broadcast.
Tensor matmul(const Tensor& a, const Tensor& b);
/// NumPy's dot: the inner product of 1-d tensors, the matrix product of 2-d ones.
Tensor dot(const Tensor& a, const Tensor& b);
/// a_i b_j of the elements in row-major order: [size of a, size of b].
Tensor outer(const Tensor& a, const Tensor& b);
/// The sum along the diagonal of the two axes.
Tensor trace(const Tensor& x, std::int64_t offset = 0, std::int64_t axis1 = 0,
             std::int64_t axis2 = 1);
/// Einstein's sum, by equations as for arrays: "ij,jk->ik".
Tensor einsum(std::string_view equation, const Tensor& a);
Tensor einsum(std::string_view equation, const Tensor& a, const Tensor& b);
Tensor einsum(std::string_view equation, std::span<const Tensor> operands);
// A template, so that {a, b, c} written out means tensors or arrays as its elements do.
template <std::same_as<Tensor> T>
Tensor einsum(std::string_view equation, std::initializer_list<T> operands) {
  return einsum(equation, std::span<const Tensor>(operands.begin(), operands.size()));
}

}  // namespace gaia
