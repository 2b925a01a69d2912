// SPDX-License-Identifier: MIT
/// \file
/// Products of floating matrices in the memory of the device, by cuBLASLt, which is looked up when
/// the first product is asked for (gemm_library.h).  The emulator has its own stand-in
/// (tests/emulator/gemm.cpp).
#pragma once

#include <cstdint>
#include <string>

#include "../src/array/precision.h"
#include "../src/formulas/dtype.h"
#include "memory.h"

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
/// are carried in the dtype of y, and are the same bits whenever they are computed from the same
/// shapes, batch and alignment; a product in a batch may differ from the same one alone by
/// rounding.
struct Gemm {
  DType dtype = DType::float32;                       ///< Type of a, b: float32, float64, bfloat16.
  MatmulPrecision precision = MatmulPrecision::full;  ///< Precision of float32 products.
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

  /// bfloat16 is multiplied, exactly, into float32.
  DType y_dtype() const { return dtype == DType::float64 ? DType::float64 : DType::float32; }
};

/// What a product becomes before it is written: y = gelu(z) in the tanh form, z = a b + bias.
struct GeluEpilogue {
  const void* bias = nullptr;  ///< [n]; null: none.
  void* z = nullptr;           ///< [m, n] as y lies; null: z is not kept.
};

/// Whether a product and its epilogue are as cuBLASLt asks: one matrix of float32, rows of z of a
/// multiple of 8 numbers, everything on borders of 16 bytes.
inline bool fits_gelu(const Gemm& product, const GeluEpilogue& epilogue) {
  const auto is_aligned = [](const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
  };
  return product.dtype == DType::float32 && product.batch == 1 && !product.accumulate &&
         (epilogue.z == nullptr || product.y_leading % 8 == 0) && is_aligned(product.a.data) &&
         is_aligned(product.b.data) && is_aligned(product.y) && is_aligned(epilogue.bias) &&
         is_aligned(epilogue.z);
}

/// Room to work in comes from `memory`.  Where cuBLASLt has no kernel, by gemm_by_tiles.
/// \throws DeviceError if there is no cuBLASLt, or with its words if it fails; OutOfMemory.
void gemm(const Gemm& product, Memory& memory, cudaStream_t stream);

/// The product with its epilogue in one kernel, for a single one of float32 that does not
/// accumulate.  False, and nothing is done, where cuBLASLt has no kernel for it or says anything
/// else against it: `gemm` computes the same, and tells what is really wrong.
/// \throws OutOfMemory.
bool gemm_gelu(const Gemm& product, const GeluEpilogue& epilogue, Memory& memory,
               cudaStream_t stream);

/// The same product by a kernel of gaia's own, for any strides, in full precision.  Each sum is
/// computed by one thread, in order.
void gemm_by_tiles(const Gemm& product, cudaStream_t stream);

/// How often gaia's own kernels did what cuBLASLt was asked for, in this process.
struct GemmFallbacks {
  std::int64_t products = 0;   ///< gemm_by_tiles in place of a product.
  std::int64_t epilogues = 0;  ///< A product and a pass in place of one with its epilogue.
};
GemmFallbacks gemm_fallbacks();

/// Counts one of either kind, and logs the first of each kind and reason.
void note_product_by_tiles(const Gemm& product, const std::string& why);
void note_epilogue_by_pass(const std::string& why);

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
