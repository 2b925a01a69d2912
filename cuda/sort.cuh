// SPDX-License-Identifier: MIT
/// \file
/// What other families need of sorting.
#pragma once

#include "../src/formulas/view.h"
#include "memory.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// keys = x (int64) in ascending order along the last axis, and the positions along it that they
/// come from, equal ones as they come; both contiguous.
void sort_numbered(cudaStream_t stream, Memory& memory, const View& x, std::int64_t* keys,
                   std::int64_t* numbers);

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
