// SPDX-License-Identifier: MIT
/// \file
/// Order: sorting, the largest elements, searching, and distinct values.
///
/// NaN counts as larger than every number: last in ascending order, as in NumPy, first in
/// descending order, as in PyTorch.  Equal elements keep their order (in both directions).
#pragma once

#include <cstdint>

#include "../formulas/order.h"
#include "array.h"

namespace gaia {

/// x in order along `axis`.  \throws ShapeError if there is no such axis.
Array sort(const Array& x, std::int64_t axis = -1, SortOrder order = SortOrder::ascending);

/// The int64 indices along `axis` that put x in order: take_along_axis(x, argsort(x), -1) is
/// sort(x).
Array argsort(const Array& x, std::int64_t axis = -1, SortOrder order = SortOrder::ascending);

struct TopK {
  Array values;
  Array indices;  ///< Along the axis; int64.
};

/// The k largest elements along `axis`, from the largest on (or the k smallest, from the smallest
/// on), with their indices; of equal elements the first ones.
/// \throws ArgumentError if k is negative or above the length of the axis.
TopK top_k(const Array& x, std::int64_t k, std::int64_t axis = -1, bool largest = true);

/// The place of each of `values` in the ascending 1-d array `sorted`: the number of its elements
/// that are smaller (left) or not larger (right).  int64, in the shape of `values`.
/// \throws ShapeError if `sorted` is not 1-d.
Array searchsorted(const Array& sorted, const Array& values, Side side = Side::left);

/// The distinct elements of x in ascending order, 1-d.  All NaN count as one.
Array unique(const Array& x);

struct Distinct {
  Array values;   ///< Elements as unique gives them: 1-d, ascending.
  Array indices;  ///< First position of each in x, in row-major order; int64.
  Array inverse;  ///< Which of the values each element is: int64, in the shape of x.
  Array counts;   ///< How often each occurs; int64.
};

/// The distinct elements of x, and where they are: take(values, inverse) is x.
Distinct distinct(const Array& x);

}  // namespace gaia
