// SPDX-License-Identifier: MIT
/// \file
/// Products of rows with codes -1, 0 and 1 of two bits each, with sums in double.
#pragma once

#include "row_group.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

template <class T>
struct TernaryArguments {
  std::int64_t rows;
  std::int64_t outputs;
  std::int64_t columns;
  std::int64_t words;
  const T* x;
  const std::int32_t* packed;
  T* y;
};

/// The threads of a group share the columns of one number of y.
template <class T, int Group>
__global__ void ternary_kernel(const __grid_constant__ TernaryArguments<T> p) {
  using Row = RowGroup<Group>;
  const std::int64_t numbers = p.rows * p.outputs;
  for (std::int64_t at = Row::first_row(); at < numbers; at += Row::row_step()) {
    const std::int64_t row = at / p.outputs;
    const std::int64_t output = at - row * p.outputs;
    const T* const x = p.x + row * p.columns;
    const std::int32_t* const words = p.packed + output * p.words;
    const double total = Row::sum(p.columns, [x, words](std::int64_t i) {
      // Words are stored with their highest bit turned over.
      const std::uint32_t bits = static_cast<std::uint32_t>(words[i / 16]) ^ 0x80000000u;
      const int code = static_cast<int>((bits >> (2 * (i % 16))) & 3u) - 1;
      return static_cast<double>(code) * static_cast<double>(x[i]);
    });
    if (Row::lane() == 0) p.y[at] = static_cast<T>(total);
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
