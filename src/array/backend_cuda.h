// SPDX-License-Identifier: MIT
/// \file
/// All CUDA devices of a machine at once, those that cannot be used among them.
#pragma once

#include "backend.h"

namespace gaia {

/// Puts what a machine has in place of what this one has, and returns that.  A device that cannot
/// be used is null there, and `why_none` says why.  For tests; not while another thread computes.
CudaBackends replace_cuda_backends(CudaBackends replacements);

}  // namespace gaia
