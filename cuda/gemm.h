// SPDX-License-Identifier: MIT
/// \file
/// Products of matrices of float32 and float64 in the memory of the device, by cuBLASLt, which is
/// looked up when the first product is asked for (gemm_cublaslt.cu).  The emulator has its own
/// answer (tests/emulator/gemm.cpp).
#pragma once

#include <cstdint>

#include "../src/array/dtype.h"
#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// A matrix, or a batch of them: element (i, j) lies at data[i * leading + j], or, if it is
/// transposed, at data[j * leading + i].  `leading` is at least the length of what lies together.
struct GemmMatrix {
  const void* data = nullptr;
  std::int64_t leading = 1;
  bool transposed = false;
  std::int64_t batch_stride = 0;  ///< From one matrix to the next; 0 for one that all share.
};

/// y = a b, or y += a b, with a [m, k], b [k, n] and y [m, n]; none of these numbers is 0.  Sums
/// are carried in the dtype, never in TF32, and are the same bits whenever they are made of the
/// same shapes and alignment.
struct Gemm {
  DType dtype = DType::float32;  ///< Or float64.
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  GemmMatrix a;
  GemmMatrix b;
  void* y = nullptr;  ///< By rows.
  std::int64_t y_leading = 1;
  std::int64_t y_batch_stride = 0;
  std::int64_t batch = 1;
  bool accumulate = false;
};

/// \throws DeviceError if there is no cuBLASLt, or with its words if it fails.
void gemm(const Gemm& product, cudaStream_t stream);

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
