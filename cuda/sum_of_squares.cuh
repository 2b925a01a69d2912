// SPDX-License-Identifier: MIT
/// \file
/// Sums over the tiles of many arrays, in one launch.
#pragma once

#include "block_reduce.cuh"
#include "parts.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// An array of a launch.
template <class T>
struct SummedPart {
  const T* data;
  std::int64_t count;
  std::int64_t tiles_before = 0;
  std::int64_t first_sum;  ///< Place of the sum of its first tile; those of others follow.
};

constexpr int kSummedEach = 16;  ///< Elements of a thread.
constexpr std::int64_t kSummedTile = std::int64_t{kThreads} * kSummedEach;

/// sums = the sum of term(x) over each tile, in double.
template <class T, class Term>
__global__ void __launch_bounds__(kThreads)
    sum_parts_kernel(Term term, const __grid_constant__ PartTable<SummedPart<T>> table,
                     double* sums) {
  int number = 0;
  for (std::int64_t tile = blockIdx.x; tile < table.tiles; tile += gridDim.x) {
    const SummedPart<T>& part = part_of_tile(table, tile, number);
    const std::int64_t tile_of_part = tile - part.tiles_before;
    const std::int64_t first = tile_of_part * kSummedTile + threadIdx.x;
    T loaded[kSummedEach];
#pragma unroll
    for (int i = 0; i < kSummedEach; ++i) {
      const std::int64_t at = first + i * kThreads;
      loaded[i] = at < part.count ? part.data[at] : T(0);
    }
    double sum = 0.0;
#pragma unroll
    for (int i = 0; i < kSummedEach; ++i) sum += term(static_cast<double>(loaded[i]));
    sum = block_reduce<kThreads>(sum, Plus{});
    if (threadIdx.x == 0) sums[part.first_sum + tile_of_part] = sum;
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
