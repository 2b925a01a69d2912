// SPDX-License-Identifier: MIT
/// \file
/// Products of vectors and matrices of tensors.
#pragma once

#include "../array/ops.h"
#include "tensor.h"

namespace gaia {

/// [..., m, k] by [..., k, n] gives [..., m, n]; a 1-d argument is a row on the left, a column on
/// the right, and that axis disappears.  Leading axes broadcast.
Tensor matmul(const Tensor& a, const Tensor& b);
/// As NumPy's: the inner product of 1-d tensors, the matrix product of 2-d ones.
Tensor dot(const Tensor& a, const Tensor& b);
/// a_i b_j of the elements in row-major order: [size of a, size of b].
Tensor outer(const Tensor& a, const Tensor& b);

}  // namespace gaia
