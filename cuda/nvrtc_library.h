// SPDX-License-Identifier: MIT
/// \file
/// NVRTC, NVIDIA's compiler of CUDA C++ at run time, opened when it is needed first, so that gaia
/// is built and starts without it.  No other header of CUDA is needed, nor is a device.
///
/// Declared here as nvrtc.h of CUDA 12 and 13 does, which need not be installed.
#pragma once

#include <string>
#include <vector>

#include "../src/core/kernel_source.h"

namespace gaia::cuda {

/// The functions that compile; a result of 0 is success.
struct NvrtcLibrary {
  using Program = void*;

  int (*version)(int* major, int* minor) = nullptr;
  const char* (*error_string)(int result) = nullptr;
  int (*count_architectures)(int* count) = nullptr;
  int (*architectures)(int* all) = nullptr;
  int (*create)(Program* made, const char* source, const char* name, int headers,
                const char* const* texts, const char* const* names) = nullptr;
  int (*destroy)(Program* program) = nullptr;
  int (*compile)(Program program, int count, const char* const* options) = nullptr;
  int (*add_name)(Program program, const char* expression) = nullptr;
  int (*lowered_name)(Program program, const char* expression, const char** name) = nullptr;
  int (*log_size)(Program program, std::size_t* size) = nullptr;
  int (*log)(Program program, char* text) = nullptr;
  int (*cubin_size)(Program program, std::size_t* size) = nullptr;
  int (*cubin)(Program program, char* bytes) = nullptr;
  int (*ptx_size)(Program program, std::size_t* size) = nullptr;
  int (*ptx)(Program program, char* text) = nullptr;

  int major = 0;
  std::string version_text = {};  ///< "13.0".
  std::vector<int> known = {};    ///< Compute capabilities that it compiles for: 80, 90.
};

/// Opens the library for drivers of CUDA `major`, 0 for any, else another one.
/// \throws DeviceError where there is none.
NvrtcLibrary open_nvrtc(int major);

/// What it makes of a source.
struct NvrtcResult {
  std::string image;                 ///< Code for one chip, or PTX, which ends with a 0.
  std::vector<std::string> lowered;  ///< Names of the source's kernels in the image.
  std::string log;                   ///< Warnings; empty where there are none.
};

/// Compiles for chips of a compute capability, such as 90: to their code, or to PTX for the newest
/// that the library knows, where it does not know them.  Standard headers are those of
/// std_for_nvrtc.h.  \throws CompileError with the compiler's log.
NvrtcResult compile_by_nvrtc(const NvrtcLibrary& library, const KernelSource& source,
                             int capability);

}  // namespace gaia::cuda
