// SPDX-License-Identifier: MIT
/// \file
/// Kernels compiled while a program runs: by NVRTC for a GPU (run_time_compiler_nvrtc.cu), by the
/// host's compiler for the emulator (tests/emulator/run_time_compiler.cpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../src/core/kernel_source.h"
#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// A kernel that is compiled.  Cheap to copy; it lives as long as the program.
class LaunchableKernel {
 public:
  /// Starts it on `stream` of the current device, with the values to which `arguments` point, one
  /// for each parameter; they are read before launch returns.  Dynamic shared memory is asked for.
  /// \throws DeviceError naming the kernel.
  void launch(const LaunchShape& shape, cudaStream_t stream, void** arguments) const;

  /// Bytes of each parameter, where the driver knows them.
  std::optional<std::vector<std::size_t>> parameter_bytes() const;

  struct State;
  explicit LaunchableKernel(State& state) : state_(&state) {}

 private:
  State* state_;
};

/// What was built from a KernelSource, shared by all who ask for the same.
class CompiledKernels {
 public:
  CompiledKernels(std::vector<std::string> names, std::vector<LaunchableKernel> kernels)
      : names_(std::move(names)), kernels_(std::move(kernels)) {}
  /// \throws ArgumentError for a name that the source's list `kernels` lacks.
  LaunchableKernel kernel(const std::string& name) const;

 private:
  std::vector<std::string> names_;
  std::vector<LaunchableKernel> kernels_;
};

/// Kernels for the current device: those in memory, else from the cache on disk, else compiled.
/// Threads may call it at once.  What was built once stays until the program ends.
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

// Defined once by each build.

/// What compiles for the current device and in which version: all beside the source that decides
/// what comes out.  \throws DeviceError where there is no compiler.
std::string compiler_now();

/// What the compiler makes of a source, as bytes that can be kept.  \throws CompileError.
std::string compile_to_bytes(const KernelSource& source);

/// Makes kernels of these bytes.  \throws DeviceError if the device does not take them.
std::vector<LaunchableKernel> load_kernels(const KernelSource& source, const std::string& bytes);

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
