// SPDX-License-Identifier: MIT
/// \file
/// What other families need of running sums.
#pragma once

#include <cstdint>

#include "memory.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// y[i] = x[0] + ... + x[i], for n numbers.
void running_sums(cudaStream_t stream, Memory& memory, const std::int64_t* x, std::int64_t* y,
                  std::int64_t n);

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
