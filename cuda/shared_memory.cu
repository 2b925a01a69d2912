// SPDX-License-Identifier: MIT
/// \file
/// How much dynamic shared memory kernels may have.
#include <map>
#include <mutex>
#include <utility>

#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

void allow_shared(const char* name, const void* kernel, std::size_t bytes) {
  // The driver keeps one number for each kernel and device.  Were it set to what each launch takes,
  // a thread could lower it between another one's asking and launching.
  static std::mutex mutex;
  static auto& allowed = *new std::map<std::pair<const void*, int>, std::size_t>;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  std::size_t& most = allowed[{kernel, device}];
  if (bytes <= most) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        name);
  most = bytes;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
