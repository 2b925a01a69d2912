// SPDX-License-Identifier: MIT
/// \file
/// Copies to shared memory that go on while their thread computes.  Under a C++ compiler they are
/// done at once.
#pragma once

#include "portable.cuh"

#ifdef __CUDACC__
#include <cuda_pipeline_primitives.h>
#endif

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Begins *to = *from for the calling thread; T has 4, 8 or 16 bytes.
template <class T>
__device__ void copy_async(T* to, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#ifdef __CUDACC__
  __pipeline_memcpy_async(to, from, sizeof(T));
#else
  *to = *from;
#endif
}

/// Waits for the calling thread's copies.  A barrier later they are there for the whole block.
__device__ inline void wait_for_copies() {
#ifdef __CUDACC__
  __pipeline_commit();
  __pipeline_wait_prior(0);
#endif
}

}  // namespace gaia::cuda
