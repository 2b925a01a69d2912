// SPDX-License-Identifier: MIT
/// \file
/// The only CUDA header of a kernel or a launcher.  Under nvcc it is CUDA; under a C++ compiler it
/// is the emulator in tests/emulator, so that the same text is tested where there is no GPU.  Under
/// NVRTC (run_time_compiler.h) it is only what kernels need.
///
/// What both understand: ordinary CUDA without __shared__ (the two macros below instead),
/// cooperative groups, CUB, thrust and inline PTX (which only mma.cuh, instructions.cuh and
/// async_copy.cuh contain); whole warps in collectives; no return before a barrier; blocks of fixed
/// size; sums of floating numbers in a fixed order.
#pragma once

#include <string>

#include "../src/core/error.h"

#ifdef __CUDACC__
#ifndef __CUDACC_RTC__
#include <cuda_runtime.h>
#endif
#define GAIA_SHARED(T, name, dims) __shared__ T name dims
#define GAIA_SHARED_DYNAMIC(T, name)                                 \
  extern __shared__ __align__(16) unsigned char gaia_shared_bytes[]; \
  T* const name = reinterpret_cast<T*>(gaia_shared_bytes)
/// A function that is called rather than copied.  (The host's headers spell the attribute as nvcc
/// spells its keyword.)
#define GAIA_NOINLINE __noinline__
/// Part of the names of everything in this folder, so that both builds fit into one program.
#define GAIA_CUDA_BUILD native
#else
#include <emulator.h>  // tests/emulator
#include <tuple>
#define GAIA_NOINLINE [[gnu::noinline]]
#define GAIA_CUDA_BUILD emulated
#endif

#ifndef __CUDACC_RTC__

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// \throws DeviceError, or OutOfMemory, with the call's name and the driver's words.
inline void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // forget it, so that the next call does not report it again
  const std::string what = "[cuda] " + std::string(call) + ": " + cudaGetErrorName(error) + " (" +
                           cudaGetErrorString(error) + ")";
  if (error == cudaErrorMemoryAllocation) throw OutOfMemory(what);
  throw DeviceError(what);
}

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
};

/// Dynamic shared memory that every kernel may have without asking.
constexpr std::size_t kSharedUnasked = 48 * 1024;

/// Lets `kernel` have as much dynamic shared memory on the current device, for all threads: never
/// less than another launch of it has asked for.  \throws DeviceError naming the kernel.
void allow_shared(const char* name, const void* kernel, std::size_t bytes);

#ifdef __CUDACC__

/// Starts kernel(arguments...) on `stream`.  \throws DeviceError naming the kernel.
template <class... Parameters, class... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), const LaunchShape& shape,
            cudaStream_t stream, const Arguments&... arguments) {
  if (shape.shared_bytes > kSharedUnasked) {
    allow_shared(name, reinterpret_cast<const void*>(kernel), shape.shared_bytes);
  }
  kernel<<<shape.grid, shape.block, shape.shared_bytes, stream>>>(
      static_cast<Parameters>(arguments)...);
  check(cudaGetLastError(), name);
}

#else

template <class... Parameters, class... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), const LaunchShape& shape,
            cudaStream_t stream, const Arguments&... arguments) {
  const auto named = [name = std::string(name)](const auto& act) {
    try {
      act();
    } catch (const emulator::KernelError& error) {
      throw emulator::KernelError("[" + name + "] " + error.what());
    }
  };
  const auto index = [](const dim3& d) { return emulator::Index3{d.x, d.y, d.z}; };
  named([&] {
    emulator::check_launch(index(shape.grid), index(shape.block), shape.shared_bytes);
    const void* const asking = reinterpret_cast<const void*>(kernel);
    if (shape.shared_bytes > kSharedUnasked) allow_shared(name, asking, shape.shared_bytes);
    emulator::check_shared(asking, shape.shared_bytes);
  });
  // By value, as CUDA takes them: the kernel may run when the launcher has returned.
  emulator::enqueue(
      stream, [=, values = std::tuple<Parameters...>(static_cast<Parameters>(arguments)...)] {
        const auto body = [&] { std::apply(kernel, values); };
        named([&] {
          emulator::run_blocks(
              index(shape.grid), index(shape.block), shape.shared_bytes,
              [](const void* f) { (*static_cast<const decltype(body)*>(f))(); }, &body);
        });
      });
}

#endif

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD

#endif
