// SPDX-License-Identifier: MIT
/// \file
/// What follows the product of a dense layer with gelu, in one pass, and what comes before its
/// gradients.
#pragma once

#include "../src/formulas/activation.h"
#include "column_sums.cuh"
#include "divide.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// z = product + bias, y = gelu(z).  The product lies in z, or in y where z is null.
template <class T, class Gelu>
__global__ void bias_gelu_kernel(Gelu gelu, std::int64_t count, std::int64_t columns, const T* bias,
                                 T* z, T* y) {
  const T* const product = z == nullptr ? y : z;
#pragma unroll 2
  for (std::int64_t i = first_of_grid(); i < count; i += threads_of_grid()) {
    T value = product[i];
    if (bias != nullptr) {
      value += bias[divide(i, columns).rest];
      if (z != nullptr) z[i] = value;
    }
    y[i] = gelu.value(value);
  }
}

/// A number of dz, as what its row adds to db.
template <class T>
struct SlopeTerm {
  const T* dz;
  std::int64_t columns;
  __device__ Terms<1> operator()(std::int64_t row, std::int64_t column) const {
    return {{static_cast<double>(dz[row * columns + column])}};
  }
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
