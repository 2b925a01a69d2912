// SPDX-License-Identifier: MIT
/// \file
/// Products of vectors and tensors, beside matmul (`ops.h`).  As by matmul, integers are kept and
/// wrap around, and of bool the sum is "or" and the product "and".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "array.h"

namespace gaia {

/// NumPy's dot: sum_i a_i b_i for 1-d arrays, the matrix product for 2-d ones, the product for a
/// 0-d one; else the sum over the last axis of a and the last but one of b (the last if it is
/// 1-d), with the remaining axes of a before those of b.
/// \throws ShapeError if the lengths of these axes differ.
Array dot(const Array& a, const Array& b);

/// y[i, j] = a_i b_j of the elements of a and b in row-major order: [a.size(), b.size()].
Array outer(const Array& a, const Array& b);

/// The sum along the diagonal of the two axes given.  Integers: int64, as of every sum.
Array trace(const Array& x, std::int64_t offset = 0, std::int64_t axis1 = 0,
            std::int64_t axis2 = 1);

/// Einstein's sum, as NumPy's: `equation` names the axes of each array by letters, as in
/// "ij,jk->ik", "bij,bj->bi", "ij->ji" or "ij,ij".  Letters not in the result are summed over.
/// Without "->" the result has the axes of the ellipsis and the letters that occur once, in
/// alphabetical order.  A letter that stands twice in one term is its diagonal ("ii->i"); "..." is
/// all further axes, which broadcast from the last on; an axis of length 1 repeats to the length
/// that its letter has elsewhere.  Several arrays are multiplied from the first to the last.
/// \throws ArgumentError for an equation that cannot be read, ShapeError for shapes that do not
///         fit it.
Array einsum(std::string_view equation, const Array& a);
Array einsum(std::string_view equation, const Array& a, const Array& b);
/// einsum("ij,jk,kl->il", {a, b, c})
Array einsum(std::string_view equation, const std::vector<Array>& operands);

}  // namespace gaia
