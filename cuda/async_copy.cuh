// SPDX-License-Identifier: MIT
/// \file
/// Copies to shared memory that go on while their thread computes.
#pragma once

#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Begins *to = *from for the calling thread, or, where nothing is there, *to = 0 in all bytes.  T
/// has 4, 8 or 16 bytes, and both places are multiples of these, also where nothing is read.
template <class T>
__device__ void copy_async(T* to, const T* from, bool is_there = true) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#ifdef __CUDACC__
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const unsigned read = is_there ? sizeof(T) : 0;  // the rest is zero
  if constexpr (sizeof(T) == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(read)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(from),
                 "n"(sizeof(T)), "r"(read)
                 : "memory");
  }
#else
  if (reinterpret_cast<std::uintptr_t>(from) % sizeof(T) != 0) {
    emulator::fail("an asynchronous copy is misaligned", emulator::CodePlace::here());
  }
  emulator::begin_copy(to, is_there ? from : nullptr, sizeof(T));
#endif
}

/// Makes a group of the calling thread's copies since the last one.
__device__ inline void end_copy_group() {
#ifdef __CUDACC__
  asm volatile("cp.async.commit_group;" ::: "memory");
#else
  emulator::end_copy_group();
#endif
}

/// Waits for the calling thread's groups but the last `Groups`.  A barrier later these copies are
/// there for the whole block.
template <int Groups>
__device__ void wait_for_copy_groups() {
#ifdef __CUDACC__
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#else
  emulator::wait_for_copies(Groups);
#endif
}

/// Waits for all of the calling thread's copies.
__device__ inline void wait_for_copies() {
  end_copy_group();
  wait_for_copy_groups<0>();
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
