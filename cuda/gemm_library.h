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

/// The functions of the library by their names.
struct GemmLibrary {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtGetStatusString) status_string;
  decltype(&cublasLtMatmulDescCreate) description_create;
  decltype(&cublasLtMatmulDescDestroy) description_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) description_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatrixLayoutSetAttribute) layout_set;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmul) matmul;
};

template <class Function>
void find_function(void* opened, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(opened, name));
  if (function == nullptr) {
    throw DeviceError("[cuda] libcublasLt lacks " + std::string(name) +
                      "; install the cuBLAS of CUDA 12 or 13, or compute on 'cpu'");
  }
}

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
  GemmLibrary library{};
  find_function(opened, "cublasLtCreate", library.create);
  find_function(opened, "cublasLtGetStatusString", library.status_string);
  find_function(opened, "cublasLtMatmulDescCreate", library.description_create);
  find_function(opened, "cublasLtMatmulDescDestroy", library.description_destroy);
  find_function(opened, "cublasLtMatmulDescSetAttribute", library.description_set);
  find_function(opened, "cublasLtMatrixLayoutCreate", library.layout_create);
  find_function(opened, "cublasLtMatrixLayoutDestroy", library.layout_destroy);
  find_function(opened, "cublasLtMatrixLayoutSetAttribute", library.layout_set);
  find_function(opened, "cublasLtMatmulPreferenceCreate", library.preference_create);
  find_function(opened, "cublasLtMatmulPreferenceDestroy", library.preference_destroy);
  find_function(opened, "cublasLtMatmulPreferenceSetAttribute", library.preference_set);
  find_function(opened, "cublasLtMatmulAlgoGetHeuristic", library.heuristic);
  find_function(opened, "cublasLtMatmul", library.matmul);
  return library;
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
