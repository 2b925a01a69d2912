// SPDX-License-Identifier: MIT
/// \file
/// When attention goes to tensor cores, and how its operands have to lie then.
#pragma once

#include <optional>

#include "../src/array/backend_fused.h"
#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// The dtype in which tensor cores take the operands: bfloat16 if they are, or may be rounded to
/// it, float32 if they may be rounded to TF32.  None for other dtypes and sizes, and for full
/// precision.
std::optional<DType> tensor_core_operands(const AttentionRun& run);

/// Whether rows can be copied by 16 bytes.
bool lies_on_chunks(const View& x);

/// For q, k and v of the dtype that tensor_core_operands answers, which lie on chunks.
void attention_by_tensor_cores(const AttentionRun& run, cudaStream_t stream);

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
