// SPDX-License-Identifier: MIT
/// \file
/// One value from those of all threads of a warp or block, joined in a fixed order.
#pragma once

#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

constexpr int kWarp = 32;
constexpr unsigned kWholeWarp = 0xffffffffu;

struct Plus {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

/// For every lane: the values of its whole warp joined.
template <class T, class Join>
__device__ T warp_reduce(T value, const Join& join) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = join(value, __shfl_xor_sync(kWholeWarp, value, distance));
  }
  return value;
}

/// For every thread: the values of its whole block, of `Threads` threads, joined.  Contains
/// barriers.
template <int Threads, class T, class Join>
__device__ T block_reduce(T value, const Join& join) {
  static_assert(Threads % kWarp == 0 && Threads / kWarp <= kWarp);
  GAIA_SHARED(T, of_warps, [Threads / kWarp]);
  value = warp_reduce(value, join);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  if (threadIdx.x % kWarp == 0) of_warps[warp] = value;
  __syncthreads();
  value = of_warps[0];
  for (int i = 1; i < Threads / kWarp; ++i) value = join(value, of_warps[i]);
  __syncthreads();  // the next call writes there again
  return value;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
