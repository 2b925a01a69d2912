// SPDX-License-Identifier: MIT
/// \file
/// Attention by tensor cores, for operands that AttentionOperands has prepared for them.
#pragma once

#include "../src/array/backend_fused.h"
#include "memory.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// y, largest and sum are float32.
void attention_by_tensor_cores(const AttentionRun& run, cudaStream_t stream);

/// dy is as q, k and v are; all else is float32.
void gradients_by_tensor_cores(const AttentionBackwardRun& run, Memory& memory,
                               cudaStream_t stream);

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
