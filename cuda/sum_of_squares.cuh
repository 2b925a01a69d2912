// SPDX-License-Identifier: MIT
/// \file
/// Sums of squares of many arrays in one launch: each array is cut into tiles whose sums do not
/// depend on what else the launch takes.
#pragma once

#include "block_reduce.cuh"
#include "grid.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// An array of a launch.
template <class T>
struct SummedPart {
  const T* data;
  std::int64_t count;
  std::int64_t tiles_before;  ///< Of the parts before it in the table.
  std::int64_t first_sum;     ///< Where the sum of its first tile goes; those of others follow.
};

/// As many as a launch takes by value.
template <class T>
struct SummedTable {
  static constexpr int kMost = 100;
  int parts;
  std::int64_t tiles;
  SummedPart<T> part[kMost];
};

constexpr int kSummedEach = 16;  ///< Elements of a thread.
constexpr std::int64_t kSummedTile = std::int64_t{kThreads} * kSummedEach;

/// sums = the sum of term(x) over each tile, in double.
template <class T, class Term>
__global__ void __launch_bounds__(kThreads)
    sum_parts_kernel(Term term, const __grid_constant__ SummedTable<T> table, double* sums) {
  int number = 0;
  for (std::int64_t tile = blockIdx.x; tile < table.tiles; tile += gridDim.x) {
    while (number + 1 < table.parts && table.part[number + 1].tiles_before <= tile) ++number;
    const SummedPart<T>& part = table.part[number];
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
