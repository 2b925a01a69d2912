// SPDX-License-Identifier: MIT
/// \file
/// The chunkwise executor of plastic layers: online learning through matrix products.
#pragma once

#include <span>

#include "../src/array/backend.h"
#include "memory.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Runs of alike layers for which can_take_products (plastic_form.h) holds.
void run_products(cudaStream_t stream, std::span<const PlasticRun> runs, Memory& memory);

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
