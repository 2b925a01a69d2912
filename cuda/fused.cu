// SPDX-License-Identifier: MIT
/// \file
/// Which fused operations have kernels.
#include "backend.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

std::string CudaBackend::why_not_fused(FusedKernel /*kernel*/, DType dtype) const {
  if (dtype == DType::float32 || dtype == DType::float64) return {};
  return "takes float32 and float64, got " + to_string(dtype);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
