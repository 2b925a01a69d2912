// SPDX-License-Identifier: MIT
/// \file
/// Order of the elements of tensors, as for arrays (`array/sorting.h`).  The gradient of an element
/// goes back to where it came from; of equal elements to the one that was put there.
#pragma once

#include <cstdint>

#include "../array/sorting.h"
#include "tensor.h"

namespace gaia {

/// x in order along `axis`.
Tensor sort(const Tensor& x, std::int64_t axis = -1, SortOrder order = SortOrder::ascending);

struct TensorTopK {
  Tensor values;
  Array indices;  ///< Along the axis; int64.
};

/// The k largest elements along `axis`, from the largest on (or the k smallest, from the smallest
/// on), with their indices; of equal elements the first ones.
TensorTopK top_k(const Tensor& x, std::int64_t k, std::int64_t axis = -1, bool largest = true);

}  // namespace gaia
