// SPDX-License-Identifier: MIT
/// \file
/// NCCL, opened when it is needed first, so that gaia is built and starts without it.
///
/// Declared here as nccl.h of NCCL 2 does, which need not be installed; these types and functions
/// have not changed since NCCL 2.0.
#pragma once

#include <dlfcn.h>

#include <string>

#include "../src/array/device_exchange.h"
#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

struct NcclId {
  ExchangeId bytes;
};

/// The functions that an exchange calls; a result of 0 is success.
struct NcclLibrary {
  using Communicator = void*;

  int (*get_unique_id)(NcclId* id) = nullptr;
  int (*init_rank)(Communicator* made, int size, NcclId id, int rank) = nullptr;
  int (*all_gather)(const void* mine, void* all, std::size_t count, int type, Communicator group,
                    cudaStream_t stream) = nullptr;
  int (*destroy)(Communicator group) = nullptr;
  const char* (*error_string)(int result) = nullptr;
};

constexpr int kNcclUint8 = 1;

/// \throws DeviceError where it cannot be opened.
inline NcclLibrary open_nccl_library() {
  void* opened = nullptr;
  std::string why;
  for (const char* name : {"libnccl.so.2", "libnccl.so"}) {
    opened = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (opened != nullptr) break;
    if (why.empty()) why = dlerror();
  }
  if (opened == nullptr) {
    throw DeviceError("[cuda] NCCL cannot be opened (" + why +
                      "); install libnccl2 and name its folder in LD_LIBRARY_PATH");
  }
  NcclLibrary library;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(opened, name));
    if (function == nullptr) {
      throw DeviceError("[cuda] libnccl lacks " + std::string(name) + "; install NCCL 2");
    }
  };
  find(library.get_unique_id, "ncclGetUniqueId");
  find(library.init_rank, "ncclCommInitRank");
  find(library.all_gather, "ncclAllGather");
  find(library.destroy, "ncclCommDestroy");
  find(library.error_string, "ncclGetErrorString");
  return library;
}

/// \throws DeviceError with the call's name and the library's words.
inline void check_nccl(const NcclLibrary& library, int result, const char* call) {
  if (result == 0) return;
  throw DeviceError("[cuda] " + std::string(call) + ": " + library.error_string(result));
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
