// SPDX-License-Identifier: MIT
/// \file
/// How many blocks and threads a launch takes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../src/formulas/dtype.h"
#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Threads of a block, where a kernel has no reason for another number.
constexpr int kThreads = 256;

__host__ __device__ constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Blocks for `count` things, `per_block` at a time, in kernels that go on by whole grids until
/// all is done: enough to fill the largest chips several times over.
inline unsigned blocks_for(std::int64_t count, std::int64_t per_block) {
  constexpr std::int64_t most = 8192;
  return static_cast<unsigned>(std::clamp<std::int64_t>(ceil_div(count, per_block), 1, most));
}

/// Rows that a grid has at most.
constexpr std::int64_t kMostGridRows = 65535;

/// The number of this thread in the grid, and how many there are: where a loop over all elements
/// begins, and its step.
__device__ inline std::int64_t first_of_grid() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t threads_of_grid() { return std::int64_t{gridDim.x} * blockDim.x; }

#ifndef __CUDACC_RTC__
[[noreturn]] inline void unexpected(const char* method, DType dtype) {
  throw InternalError("[cuda::" + std::string(method) + "] got " + to_string(dtype));
}
#endif

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
