// SPDX-License-Identifier: MIT
/// \file
/// Which fused operations have kernels.
#include "backend.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

std::string CudaBackend::why_not_fused(FusedKernel kernel, DType dtype) const {
  if (dtype == DType::float32 || dtype == DType::float64) return {};
  const bool takes_halves =
      kernel == FusedKernel::attention || kernel == FusedKernel::attention_backward;
  if (takes_halves && dtype == DType::bfloat16) return {};
  return std::string(takes_halves ? "takes bfloat16, float32 and float64, got "
                                  : "takes float32 and float64, got ") +
         to_string(dtype);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
