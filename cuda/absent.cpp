// SPDX-License-Identifier: MIT
/// \file
/// Answers for CUDA in a build that has no CUDA backend.
#include "../src/array/backend.h"

namespace gaia {

CudaBackends make_cuda_backends() { return {{}, "this build of gaia has no CUDA backend"}; }

}  // namespace gaia
