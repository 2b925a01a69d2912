// SPDX-License-Identifier: MIT
/// \file
/// Rows of a matrix shared among threads: a warp each if they are short, else a block each.
#pragma once

#include "block_reduce.cuh"
#include "grid.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Rows longer than this are for a whole block.
constexpr std::int64_t kRowOfWarp = 1024;

/// The threads of a row: `Group` is kWarp or kThreads, in blocks of kThreads.
template <int Group>
struct RowGroup {
  static_assert(Group == kWarp || Group == kThreads);
  static constexpr int kRows = kThreads / Group;  ///< Rows of a block at a time.

  __device__ static std::int64_t first_row() {
    return std::int64_t{blockIdx.x} * kRows + static_cast<int>(threadIdx.x) / Group;
  }
  __device__ static std::int64_t row_step() { return std::int64_t{gridDim.x} * kRows; }
  /// The number of this thread in its row.
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % Group; }

  /// The sum of the row's threads' values, for each of them.
  __device__ static double join(double value) {
    if constexpr (Group == kWarp) {
      return warp_reduce(value, Plus{});
    } else {
      return block_reduce<kThreads>(value, Plus{});
    }
  }

  /// The sum over the row's threads of f(lane) + f(lane + Group) + ..., for each of them.
  template <class F>
  __device__ static double sum(std::int64_t n, const F& f) {
    double total = 0.0;
#pragma unroll 4
    for (std::int64_t i = lane(); i < n; i += Group) total += f(i);
    return join(total);
  }
};

/// Calls f(std::integral_constant<int, Group>) with the group for rows of n.
template <class F>
void with_row_group(std::int64_t n, const F& f) {
  if (n <= kRowOfWarp) return f(std::integral_constant<int, kWarp>{});
  f(std::integral_constant<int, kThreads>{});
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
