// SPDX-License-Identifier: MIT
/// \file
/// Places of the elements of N views of one shape, for kernels.
#pragma once

#include "../src/formulas/merge_axes.h"
#include "grid.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

template <int N>
struct Offsets {
  std::int64_t at[N];
};

/// Passed to kernels by value, as `const __grid_constant__ Walk<N>`.
template <int N>
struct Walk {
  std::int64_t count;
  int rank;  ///< After merging, >= 1.
  std::int64_t lengths[kMaxRank];
  std::int64_t strides[N][kMaxRank];

  /// The offsets, in elements, of element `index` in row-major order.  A call, for what it does is
  /// long and would stand in every kernel several times.
  GAIA_NOINLINE __device__ Offsets<N> operator()(std::int64_t index) const {
    // 32-bit division is several times as fast as 64-bit.
    return count <= 0xffffffff ? offsets<std::uint32_t>(static_cast<std::uint32_t>(index))
                               : offsets<std::int64_t>(index);
  }

 private:
  template <class Index>
  __device__ Offsets<N> offsets(Index index) const {
    Offsets<N> result;
    for (int i = 0; i < N; ++i) result.at[i] = 0;
    for (int axis = rank - 1; axis > 0; --axis) {
      const Index length = static_cast<Index>(lengths[axis]);
      const Index rest = index / length;
      const std::int64_t position = static_cast<std::int64_t>(index - rest * length);
      for (int i = 0; i < N; ++i) result.at[i] += position * strides[i][axis];
      index = rest;
    }
    for (int i = 0; i < N; ++i) {
      result.at[i] += static_cast<std::int64_t>(index) * strides[i][0];
    }
    return result;
  }
};

template <std::size_t N>
Walk<static_cast<int>(N)> make_walk(const Shape& shape, const std::array<Strides, N>& strides) {
  const SharedWalk<N> merged = merge_axes(shape, strides);
  Walk<static_cast<int>(N)> walk{};
  walk.count = count_elements(shape);
  walk.rank = merged.shape.rank();
  for (int axis = 0; axis < walk.rank; ++axis) {
    walk.lengths[axis] = merged.shape[axis];
    for (std::size_t i = 0; i < N; ++i) walk.strides[i][axis] = merged.strides[i][axis];
  }
  return walk;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
