// SPDX-License-Identifier: MIT
/// \file
/// Small kernels of the usual shapes, and copies of them with the usual mistakes.
#pragma once

#include "../../cuda/async_copy.cuh"

namespace gaia::test {

enum class Bug {
  none,
  no_barrier_after_write,     ///< Write to shared memory that other threads read.
  no_barrier_before_rewrite,  ///< Rewrite of shared memory that other threads may still read.
  no_warp_barrier,            ///< Values that lanes exchange through shared memory.
  early_return,               ///< Before a barrier, by threads past the end.
  divergent_barrier,          ///< Different threads of a block at different barriers.
  divergent_shuffle,          ///< Not all lanes of the mask take part.
  mask_too_small,             ///< Lanes read from outside the mask.
  off_by_one,                 ///< One element too many.
  tile_too_short,             ///< One column of shared memory too few.
  uninitialised_shared,       ///< Padding that is summed without having been set.
  too_little_dynamic_shared,  ///< Less dynamic shared memory than the kernel writes.
  wrong_block_offset,         ///< A ragged last block counted twice.
  racing_blocks,              ///< Two blocks write one element.
  copy_not_waited_for,        ///< Two copies that are on their way.
  copied_over_while_read,     ///< The buffer that other threads may still read.
};

constexpr int kBlock = 64;

/// sums[block] = sum of the block's part of x, twice over through the same shared memory.
template <Bug bug>
__global__ void sum_kernel(int count, const float* x, float* sums) {
  GAIA_SHARED(float, values, [kBlock]);
  const int thread = static_cast<int>(threadIdx.x);
  const int at = static_cast<int>(blockIdx.x) * kBlock + thread;
  if (bug == Bug::early_return && at >= count) return;
  const int end = bug == Bug::off_by_one ? count + 1 : count;
  float total = 0;
  for (int round = 0; round < 2; ++round) {
    if (bug == Bug::uninitialised_shared) {
      if (at < end) values[thread] = x[at];
    } else {
      values[thread] = at < end ? x[at] : 0.0f;
    }
    if (bug == Bug::divergent_barrier) {
      if (thread < kBlock / 2)
        __syncthreads();
      else
        __syncthreads();
    } else if (bug != Bug::no_barrier_after_write) {
      __syncthreads();
    }
    float sum = 0;
    for (int i = 0; i < kBlock; ++i) sum += values[i];
    total += sum * static_cast<float>(round + 1);
    if (bug != Bug::no_barrier_before_rewrite) __syncthreads();
    values[thread] = -1.0f;
    if (bug != Bug::no_barrier_before_rewrite) __syncthreads();
  }
  if (thread == 0) sums[bug == Bug::racing_blocks ? blockIdx.x / 2 : blockIdx.x] = total;
}

/// y [columns, rows] = x [rows, columns] transposed, by tiles in shared memory.
template <Bug bug>
__global__ void transpose_kernel(int rows, int columns, const float* x, float* y) {
  constexpr int tile = 8;
  constexpr int width = bug == Bug::tile_too_short ? tile - 1 : tile + 1;
  GAIA_SHARED(float, values, [tile * width]);
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.y) * tile;
  const int first_column = static_cast<int>(blockIdx.x) * tile;
  if (first_row + ty < rows && first_column + tx < columns) {
    values[ty * width + tx] = x[(first_row + ty) * columns + first_column + tx];
  }
  if (bug != Bug::no_barrier_after_write) __syncthreads();
  const int shift = bug == Bug::wrong_block_offset ? 1 : 0;
  if (first_column + ty < columns && first_row + tx < rows) {
    y[(first_column + ty) * rows + first_row + tx - shift * (first_row / tile)] =
        values[tx * width + ty];
  }
}

/// y[i] = the mean of the 32 values of i's warp, less the value of the lane before.
template <Bug bug>
__global__ void warp_kernel(const float* x, float* y) {
  GAIA_SHARED_DYNAMIC(float, values);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const float own = x[thread];
  float sum = own;
  const unsigned mask = bug == Bug::mask_too_small ? 0x0000ffffu : 0xffffffffu;
  if (bug == Bug::divergent_shuffle) {
    if (lane < 16) sum += __shfl_xor_sync(0xffffffffu, sum, 16);
  } else {
    if (bug != Bug::mask_too_small || lane < 16) sum += __shfl_xor_sync(mask, sum, 16);
  }
  for (int bits = 8; bits > 0; bits /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, bits);
  values[thread + (bug == Bug::too_little_dynamic_shared ? 32 : 0)] = own;
  if (bug != Bug::no_warp_barrier) __syncwarp();
  const int before = thread - lane + (lane + 31) % 32;
  y[thread] = sum / 32.0f - values[before + (bug == Bug::too_little_dynamic_shared ? 32 : 0)];
}

/// y[i] = the sum over tiles of x of what the next thread has; tiles are copied one ahead.
template <Bug bug>
__global__ void copy_kernel(int tiles, const float* x, float* y) {
  GAIA_SHARED(float, values, [2][kBlock]);
  const int thread = static_cast<int>(threadIdx.x);
  cuda::copy_async(&values[0][thread], x + thread);
  cuda::end_copy_group();
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      cuda::copy_async(&values[(tile + 1) % 2][thread], x + (tile + 1) * kBlock + thread);
    }
    cuda::end_copy_group();
    cuda::wait_for_copy_groups<bug == Bug::copy_not_waited_for ? 2 : 1>();
    __syncthreads();
    sum += values[tile % 2][(thread + 1) % kBlock];
    if (bug != Bug::copied_over_while_read) __syncthreads();
  }
  y[thread] = sum;
}

}  // namespace gaia::test
