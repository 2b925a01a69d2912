// SPDX-License-Identifier: MIT
/// \file
/// Kernels compiled while a program runs: by NVRTC for a GPU, by the host's compiler for the
/// emulator (tests/emulator/run_time_compiler.cpp).
#pragma once

#include <memory>
#include <string>

#include "../src/core/kernel_source.h"
#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// A kernel that is compiled.  Cheap to copy; it lives as long as the CompiledKernels it is of.
class LaunchableKernel {
 public:
  /// Starts it on `stream` of the current device, with the values to which `arguments` point, one
  /// for each parameter; they are read before launch returns.  Dynamic shared memory is asked for.
  /// \throws DeviceError naming the kernel.
  void launch(const LaunchShape& shape, cudaStream_t stream, void** arguments) const;

  struct State;
  explicit LaunchableKernel(const State* state) : state_(state) {}

 private:
  const State* state_;
};

/// What was made of a KernelSource for one architecture; shared by all who ask for the same.
class CompiledKernels {
 public:
  virtual ~CompiledKernels() = default;
  /// \throws ArgumentError for a name that the source's list `kernels` lacks.
  virtual LaunchableKernel kernel(const std::string& name) const = 0;
};

/// Kernels for the current device: those in memory, else from the cache on disk, else compiled.
/// Threads may call it at once.
/// \throws CompileError with the compiler's log; DeviceError where nothing can compile.
std::shared_ptr<const CompiledKernels> compiled_kernels(const KernelSource& source);

/// Whether there is a compiler here.
bool can_compile();
/// Why there is none, and what to install; empty where there is one.
std::string why_not_compile();

/// Starts a kernel with arguments that have exactly the types of its parameters.
template <class... Arguments>
void launch(const LaunchableKernel& kernel, const LaunchShape& shape, cudaStream_t stream,
            const Arguments&... arguments) {
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
  kernel.launch(shape, stream, pointers);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
