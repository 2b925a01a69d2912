// SPDX-License-Identifier: MIT
/// \file
/// cuBLASLt, opened when it is needed first, so that programs start without it; for nvcc alone.
#pragma once

#include <cublasLt.h>
#include <dlfcn.h>

#include <memory>
#include <string>
#include <type_traits>

#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

template <class Function>
Function find_function(void* opened, const char* name) {
  const auto function = reinterpret_cast<Function>(dlsym(opened, name));
  if (function == nullptr) {
    throw DeviceError("[cuda] libcublasLt lacks " + std::string(name) +
                      "; install the cuBLAS of CUDA 12 or 13, or compute on 'cpu'");
  }
  return function;
}

/// A function of the library under a name of ours.
#define GAIA_FROM_LIBRARY(name, function) \
  decltype(&function) name = find_function<decltype(&function)>(opened, #function)

struct GemmLibrary {
  void* opened;
  GAIA_FROM_LIBRARY(create, cublasLtCreate);
  GAIA_FROM_LIBRARY(status_string, cublasLtGetStatusString);
  GAIA_FROM_LIBRARY(description_create, cublasLtMatmulDescCreate);
  GAIA_FROM_LIBRARY(description_destroy, cublasLtMatmulDescDestroy);
  GAIA_FROM_LIBRARY(description_set, cublasLtMatmulDescSetAttribute);
  GAIA_FROM_LIBRARY(layout_create, cublasLtMatrixLayoutCreate);
  GAIA_FROM_LIBRARY(layout_destroy, cublasLtMatrixLayoutDestroy);
  GAIA_FROM_LIBRARY(layout_set, cublasLtMatrixLayoutSetAttribute);
  GAIA_FROM_LIBRARY(preference_create, cublasLtMatmulPreferenceCreate);
  GAIA_FROM_LIBRARY(preference_destroy, cublasLtMatmulPreferenceDestroy);
  GAIA_FROM_LIBRARY(preference_set, cublasLtMatmulPreferenceSetAttribute);
  GAIA_FROM_LIBRARY(heuristic, cublasLtMatmulAlgoGetHeuristic);
  GAIA_FROM_LIBRARY(matmul, cublasLtMatmul);
};

#undef GAIA_FROM_LIBRARY

inline GemmLibrary open_gemm_library() {
  void* opened = nullptr;
  std::string why;
  for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}) {
    opened = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (opened != nullptr) break;
    if (why.empty()) why = dlerror();
  }
  if (opened == nullptr) {
    throw DeviceError(
        "[cuda] matrix products need libcublasLt.so.13 or .12, which cannot be opened (" + why +
        "); install cuBLAS and name its folder in LD_LIBRARY_PATH, or compute on "
        "'cpu'");
  }
  return GemmLibrary{opened};
}

/// \throws DeviceError if it cannot be opened.
inline const GemmLibrary& gemm_library() {
  static const GemmLibrary opened = open_gemm_library();  // tried again if it throws
  return opened;
}

/// \throws DeviceError with the call's name and the library's words.
inline void check_status(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError("[cuda] " + std::string(call) + ": " + gemm_library().status_string(status));
}

struct DestroyDescription {
  void operator()(cublasLtMatmulDesc_t x) const { gemm_library().description_destroy(x); }
};
struct DestroyLayout {
  void operator()(cublasLtMatrixLayout_t x) const { gemm_library().layout_destroy(x); }
};
struct DestroyPreference {
  void operator()(cublasLtMatmulPreference_t x) const { gemm_library().preference_destroy(x); }
};

template <class Handle, class Destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;
using GemmDescription = Owned<cublasLtMatmulDesc_t, DestroyDescription>;
using GemmLayout = Owned<cublasLtMatrixLayout_t, DestroyLayout>;
using GemmPreference = Owned<cublasLtMatmulPreference_t, DestroyPreference>;

/// Sets one attribute of what a product computes.
template <class T>
void set_attribute(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t which,
                   const T& value) {
  check_status(gemm_library().description_set(description, which, &value, sizeof value),
               "cublasLtMatmulDescSetAttribute");
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
